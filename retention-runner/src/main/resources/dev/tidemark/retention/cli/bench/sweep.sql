-- bench.sweep(cutoff) -> segments
--
-- Purpose  The retired way: one call, one transaction over every partition, each locked until the whole sweep commits. What
--          `push` shows beside the cycle; pushes pile up behind it.
-- Expects  The cutoff of every queue. Rule 1 only.
-- Ensures  What log_invariants_v1 checks, save that one transaction deletes from many partitions.
-- Locks    Every partition row with something to delete, ascending, to the end of the transaction.
create or replace function bench.sweep(p_cutoff timestamptz)
    returns bigint
    language plpgsql
as $$
declare
    v_partition record;
    v_start     bigint;
    v_oldest    timestamptz;
    v_deleted   bigint;
    v_all       bigint := 0;
begin
    for v_partition in select p.id, p.queue_id from queen.log_partitions p where p.oldest_live_at < p_cutoff order by p.id loop
        perform from queen.log_partitions p where p.id = v_partition.id for update;
        delete from queen.log_segments s where s.partition_id = v_partition.id and s.created_at < p_cutoff;
        get diagnostics v_deleted = row_count;

        v_start := null;
        v_oldest := null;
        select s.base_offset, s.created_at into v_start, v_oldest
          from queen.log_segments s
         where s.partition_id = v_partition.id
         order by s.base_offset
         limit 1;
        update queen.log_partitions p
           set log_start = coalesce(v_start, p.last_offset + 1), oldest_live_at = v_oldest
         where p.id = v_partition.id;
        insert into queen.retention_history (partition_id, queue_id, messages_deleted, segments_deleted, retention_type)
        values (v_partition.id, v_partition.queue_id, v_deleted, v_deleted, 'retention');
        v_all := v_all + v_deleted;
    end loop;
    return v_all;
end
$$;
