-- The cleanup goes on after a position (last_write_at, id), so its index orders by both: partitions made in one transaction share
-- their last_write_at. Pushes wait while it is built; `if not exists`, so that it can be built concurrently before (UPGRADING.md).
create index if not exists log_partitions_silent on queen.log_partitions (last_write_at, id) where oldest_live_at is null;
do $$
begin
    if (select i.indisvalid and pg_get_indexdef(i.indexrelid, 2, true) = 'id'
          from pg_index i
         where i.indexrelid = 'queen.log_partitions_silent'::regclass) is not true then
        raise exception 'index queen.log_partitions_silent is not valid, or another one: drop it and migrate again'
            using errcode = '55000';
    end if;
end
$$;
-- It waits behind whoever reads the table, and every push behind it: rather fail, and migrate again.
set local lock_timeout = '2s';
drop index if exists queen.log_partitions_empty;

-- Three parameters more. The old signature goes here: the function file would leave it standing, and a call with two arguments
-- would then fit both.
drop function if exists queen.log_partition_cleanup_step_v1(timestamptz, int);
