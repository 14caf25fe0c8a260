create or replace function queen.log_read_v1(p_partition_id uuid, p_from bigint, p_max_segments int)
    returns table (base_offset bigint, end_offset bigint, created_at timestamptz, blob bytea)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_read_v1(partition_id, from, max_segments) -> (base_offset, end_offset, created_at, blob), in log order
--
-- Purpose  Read live segments without a cursor and without a lease: export and inspection.
-- Expects  from = the end_offset + 1 of the last row read; 0 to begin.
-- Ensures  Segments whose base_offset is at or after from. Fewer than max_segments rows: the end was reached.
-- Locks    None.
-- Errors   22023 naming the argument.
begin
    if p_partition_id is null or p_from is null or (p_max_segments >= 1) is not true then
        raise exception 'log_read_v1: p_partition_id and p_from must not be null and p_max_segments must be at least 1'
            using errcode = '22023';
    end if;
    return query
    select s.base_offset, s.end_offset, s.created_at, s.blob
      from queen.log_segments s
     where s.partition_id = p_partition_id
       -- Below log_start everything is deleted, and not always vacuumed.
       and s.base_offset >= greatest(p_from, (select p.log_start from queen.log_partitions p where p.id = p_partition_id))
     order by s.base_offset
     limit p_max_segments;
end
$$;

revoke all on function queen.log_read_v1 from public;
grant execute on function queen.log_read_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_read_v1');
