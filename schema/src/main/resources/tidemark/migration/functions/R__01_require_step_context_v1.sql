create or replace function queen.require_step_context_v1(p_function text, p_max_rows int)
    returns void
    language plpgsql
    set search_path = pg_catalog, pg_temp
as $$
-- require_step_context_v1(function, max_rows) -> nothing
--
-- Purpose  Refuse to run a step where it could delete the wrong thing. Every step calls it first.
-- Expects  The name of the calling function, for the message, and its batch bound.
-- Ensures  READ COMMITTED: each statement after the lock sees the push that just committed; an older snapshot would not.
--          Foreign keys fire: under session_replication_role = replica a cascade leaves orphans behind.
-- Locks    None.
-- Errors   TM001 another isolation level. TM002 foreign keys are off. 22023 max_rows is NULL or below 1.
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception '%: needs isolation level read committed, not %', p_function, current_setting('transaction_isolation')
            using errcode = 'TM001',
                  hint = 'Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED.';
    end if;
    if current_setting('session_replication_role') = 'replica' then
        raise exception '%: session_replication_role is replica, which switches foreign keys off', p_function
            using errcode = 'TM002',
                  hint = 'Run it in a session with session_replication_role = origin.';
    end if;
    if (p_max_rows >= 1) is not true then
        raise exception '%: p_max_rows must be at least 1, not %', p_function, coalesce(p_max_rows::text, 'null')
            using errcode = '22023';
    end if;
end
$$;

revoke all on function queen.require_step_context_v1 from public;
grant execute on function queen.require_step_context_v1 to queen_broker, queen_retention;
call queen.publish_contract_v1('queen.require_step_context_v1');
