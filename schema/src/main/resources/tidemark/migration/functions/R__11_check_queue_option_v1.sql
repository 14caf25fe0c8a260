create or replace function queen.check_queue_option_v1(p_key text, p_value jsonb)
    returns void
    language plpgsql
    immutable
    set search_path = pg_catalog, pg_temp
as $$
-- check_queue_option_v1(key, value) -> nothing
--
-- Purpose  Refuse a queue option that configure_queue_v1 could not keep as given.
-- Expects  A key of queue_option_defaults_v1, or mode. A JSON null is always allowed: it restores the default.
-- Locks    None.
-- Errors   22023 naming the key, the value and what is allowed.
declare
    v_default jsonb := queen.queue_option_defaults_v1() -> p_key;
    v_allowed text;
begin
    if p_key = 'mode' then
        if p_value not in ('"merge"', '"replace"', 'null') then
            raise exception 'option mode: must be "merge" or "replace", not %', left(p_value::text, 100) using errcode = '22023';
        end if;
        return;
    end if;
    if v_default is null then
        raise exception 'option %: unknown; the options are %, mode', p_key,
            (select string_agg(k, ', ' order by k) from jsonb_object_keys(queen.queue_option_defaults_v1()) k)
            using errcode = '22023';
    end if;

    v_allowed := case jsonb_typeof(v_default)
        when 'boolean' then 'true or false'
        when 'number' then 'a whole number from 0 to 2147483647'
        else 'a string' end;
    -- A CASE per step: a cast must not run before the type is known.
    if not (case
            when jsonb_typeof(p_value) = 'null' then true
            when jsonb_typeof(v_default) = 'boolean' then jsonb_typeof(p_value) = 'boolean'
            when jsonb_typeof(v_default) = 'null' then jsonb_typeof(p_value) = 'string'
            when jsonb_typeof(p_value) <> 'number' then false
            else (p_value #>> '{}')::numeric between 0 and 2147483647 and (p_value #>> '{}')::numeric % 1 = 0
        end) then
        raise exception 'option %: must be % (or null for the default), not %', p_key, v_allowed, left(p_value::text, 100) using errcode = '22023';
    end if;
end
$$;

revoke all on function queen.check_queue_option_v1 from public;
grant execute on function queen.check_queue_option_v1 to queen_broker;
call queen.publish_contract_v1('queen.check_queue_option_v1');
