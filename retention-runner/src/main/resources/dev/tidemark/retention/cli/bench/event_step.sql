-- bench.event_step(cutoff, batch, hold_ms) -> deleted, done, next
--
-- Purpose  One step of the policy of bench.events as a run makes it, and the size of the batch after it.
-- Expects  batch: 10000 at most, which is the policy's.
-- Ensures  As table_delete_step_v1. A step that anything disturbed, or that would come round for ever, fails.
create or replace function bench.event_step(p_cutoff timestamptz, p_batch int, p_hold_ms int)
    returns table (deleted bigint, done boolean, next int)
    language plpgsql
as $$
declare
    v_step jsonb := queen.table_delete_step_v1(p_name => 'events', p_cutoff => p_cutoff, p_max_rows => p_batch);
begin
    if v_step ->> 'state' <> 'ok' or (v_step ->> 'stuck')::boolean or (v_step ->> 'skipped')::bigint > 0 then
        raise exception 'bench.event_step: disturbed: %', v_step;
    end if;
    return query select (v_step ->> 'deleted')::bigint, (v_step ->> 'done')::boolean,
        queen.log_next_batch_v1(
            p_rows => p_batch, p_held_ms => (v_step ->> 'held_ms')::numeric, p_hold_ms => p_hold_ms, p_max_rows => 10000);
end
$$;
