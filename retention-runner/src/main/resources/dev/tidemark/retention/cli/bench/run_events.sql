-- bench.run_events()
--
-- Purpose  Run the policy of bench.events as a job of pg_cron does, with nothing but its name.
-- Expects  To be called outside a transaction.
-- Ensures  Nothing old was left. Whatever else stopped it fails, since it was not measured then.
create or replace procedure bench.run_events()
    language plpgsql
as $$
declare
    v_result jsonb;
begin
    call queen.table_retention_run_v1(p_name => 'events', p_result => v_result);
    if (v_result #>> '{policies,0,stopped}' = 'done') is not true then
        raise exception 'bench.run_events: not done: %', v_result;
    end if;
end
$$;
