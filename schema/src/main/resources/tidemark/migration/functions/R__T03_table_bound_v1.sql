create or replace function queen.table_bound_v1(p_kind text, p_zone text, p_type regtype, p_cutoff timestamptz)
    returns text
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set timezone = 'UTC'
    set datestyle = 'ISO, YMD'
as $$
-- table_bound_v1(kind, zone, type, cutoff) -> text
--
-- Purpose  A cutoff in the terms of a time column: the first value that stays. Everything below it is older than the cutoff.
-- Expects  kind and zone of a policy, the base type of its column, a finite cutoff; NULL: no bound.
-- Ensures  A literal of that type that reads the same under any settings. timestamptz: the cutoff. timestamp: the cutoff's time
--          in zone; where the clock was set back, so that this time came twice, and the cutoff is in the first of the two, a
--          time before both. date: that time's day. epoch_*: whole units, rounded down, and kept inside the type. uuidv7: the
--          smallest UUID of version 7 in the cutoff's millisecond.
-- Locks    None.
-- Errors   22023 unknown kind or zone, a cutoff that is infinite.
declare
    v_local timestamp;
    v_units numeric;
    v_hex   text;
begin
    if p_cutoff is null then
        return null;
    end if;
    if not isfinite(p_cutoff) then
        raise exception 'table_bound_v1: p_cutoff must be finite, not %', p_cutoff using errcode = '22023';
    end if;
    case p_kind
        when 'timestamptz' then
            return p_cutoff::text;
        when 'timestamp', 'date' then
            v_local := p_cutoff at time zone p_zone;
            -- Of a time that came twice the server means the later. What is labelled with it may then be from after the cutoff.
            v_local := v_local - greatest(v_local at time zone p_zone - p_cutoff, interval '0');
            return case p_kind when 'date' then v_local::date::text else v_local::text end;
        when 'epoch_s', 'epoch_ms', 'epoch_us', 'epoch_ns' then
            v_units := floor(extract(epoch from p_cutoff)
                * case p_kind when 'epoch_s' then 1 when 'epoch_ms' then 1000 when 'epoch_us' then 1000000 else 1000000000 end);
            return case p_type
                when 'int4'::regtype then greatest(least(v_units, 2147483647), -2147483648)
                when 'int8'::regtype then greatest(least(v_units, 9223372036854775807), -9223372036854775808)
                else v_units
            end::text;
        when 'uuidv7' then
            v_hex := lpad(to_hex(greatest(floor(extract(epoch from p_cutoff) * 1000), 0)::bigint), 12, '0');
            return format('%s-%s-7000-8000-000000000000', left(v_hex, 8), right(v_hex, 4));
        else
            raise exception 'table_bound_v1: p_kind must be timestamptz, timestamp, date, epoch_s, epoch_ms, epoch_us, epoch_ns or uuidv7, not %',
                coalesce(p_kind, 'null')
                using errcode = '22023';
    end case;
end
$$;

revoke all on function queen.table_bound_v1 from public;
grant execute on function queen.table_bound_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_bound_v1');
