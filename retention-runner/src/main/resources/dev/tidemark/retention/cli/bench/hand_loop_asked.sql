-- bench.hand_loop_asked(before, batch) -> rows
--
-- Purpose  bench.hand_loop, and then the question that a run ends with: is there anything left, from the table's beginning on? Rows that
--          came late are behind where the loop is by then.
-- Expects  As bench.hand_loop.
-- Ensures  As bench.hand_loop. Fails where something is left: then it measured something else.
-- Locks    As bench.hand_loop.
create or replace procedure bench.hand_loop_asked(p_before timestamptz, p_batch int, inout p_rows bigint default 0)
    language plpgsql
as $$
declare
    v_left boolean;
begin
    call bench.hand_loop(p_before, p_batch, p_rows);
    execute 'select exists (select from bench.events e where e.created_at < $1)' into v_left using p_before;
    if v_left then
        raise exception 'bench.hand_loop_asked: rows before % are left', p_before;
    end if;
end
$$;
