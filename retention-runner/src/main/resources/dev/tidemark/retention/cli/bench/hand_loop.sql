-- bench.hand_loop(before, batch) -> rows
--
-- Purpose  The best that somebody writes by hand for bench.events: the oldest rows first, by ctid, a commit a batch, each from where
--          the last one ended. Nothing is locked before it is deleted, nothing is written down, and nobody asks in the end whether
--          anything was left behind.
-- Expects  To be called outside a transaction.
-- Ensures  No row before `before` is left that was there at the beginning.
-- Locks    The rows of a batch.
create or replace procedure bench.hand_loop(p_before timestamptz, p_batch int, inout p_rows bigint default 0)
    language plpgsql
as $$
declare
    v_from  timestamptz := '-infinity';
    v_ctids tid[];
begin
    loop
        -- By EXECUTE: from the sixth batch on a statement of its own would have a plan for any time and any number.
        execute 'select array(select e.ctid from bench.events e'
                ' where e.created_at >= $1 and e.created_at < $2 order by e.created_at limit $3)'
           into v_ctids
          using v_from, p_before, p_batch;
        exit when cardinality(v_ctids) = 0;
        execute 'select e.created_at from bench.events e where e.ctid = $1' into v_from using v_ctids[cardinality(v_ctids)];
        execute 'delete from bench.events e where e.ctid = any (array(select unnest($1)))' using v_ctids;
        commit;
        p_rows := p_rows + cardinality(v_ctids);
        exit when cardinality(v_ctids) < p_batch;
    end loop;
end
$$;
