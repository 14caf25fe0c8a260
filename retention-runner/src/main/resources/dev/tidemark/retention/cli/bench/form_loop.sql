-- bench.form_loop(before, batch) -> rows
--
-- Purpose  The form that is recommended most, as a procedure for pg_cron: id in (select .. limit .. for update skip locked), a commit a batch.
--          The plans are the server's choice, and so is the order.
-- Expects  To be called outside a transaction.
-- Ensures  No row before `before` is left, but for rows that were held.
-- Locks    The rows of a batch.
create or replace procedure bench.form_loop(p_before timestamptz, p_batch int, inout p_rows bigint default 0)
    language plpgsql
as $$
declare
    v_deleted bigint;
begin
    loop
        delete from bench.events
         where id in (
               select id
                 from bench.events
                where created_at < p_before
                limit p_batch
                  for update skip locked);
        get diagnostics v_deleted = row_count;
        commit;
        p_rows := p_rows + v_deleted;
        exit when v_deleted < p_batch;
    end loop;
end
$$;
