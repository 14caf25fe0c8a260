create or replace function queen.log_retention_boundary_windowed_v1(
    p_partition_id uuid,
    p_from         bigint,
    p_cutoff       timestamptz,
    p_horizon      bigint)
    returns bigint
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
as $$
-- log_retention_boundary_windowed_v1(partition_id, from, cutoff, horizon) -> offset
--
-- Purpose  Find where time stops a deletion: the base_offset of the first segment in [from, horizon) with created_at >= cutoff.
-- Expects  created_at that never decreases with base_offset, so the first fresh segment ends the walk.
-- Ensures  Nothing fresh inside: the horizon, or max(end_offset) + 1 where the horizon is NULL.
--          No segment at or after from, or a NULL cutoff (the rule is off): from. Never below from.
--          Reads at most the index entries of [from, horizon), whether or not anything matches.
-- Locks    None.
-- Errors   22023 partition_id or from is NULL.
declare
    v_boundary bigint;
begin
    if p_partition_id is null or p_from is null then
        raise exception 'log_retention_boundary_windowed_v1: p_partition_id and p_from must not be null' using errcode = '22023';
    end if;
    if p_cutoff is null then
        return p_from;
    end if;

    -- The horizon is a range bound of the index scan, not a filter: without it an all-stale log is walked to its end.
    select s.base_offset into v_boundary
      from queen.log_segments s
     where s.partition_id = p_partition_id
       and s.base_offset >= p_from
       and s.base_offset < coalesce(p_horizon, 9223372036854775807)
       and s.created_at >= p_cutoff
     order by s.base_offset
     limit 1;
    if found then
        return v_boundary;
    end if;
    if p_horizon is not null then
        return greatest(p_horizon, p_from);
    end if;

    select s.end_offset + 1 into v_boundary
      from queen.log_segments s
     where s.partition_id = p_partition_id
       and s.base_offset >= p_from
     order by s.base_offset desc
     limit 1;
    return coalesce(v_boundary, p_from);
end
$$;

revoke all on function queen.log_retention_boundary_windowed_v1 from public;
grant execute on function queen.log_retention_boundary_windowed_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.log_retention_boundary_windowed_v1');
