create or replace function queen.table_time_v1(p_kind text, p_zone text, p_value text)
    returns timestamptz
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set timezone = 'UTC'
    set datestyle = 'ISO, YMD'
as $$
-- table_time_v1(kind, zone, value) -> timestamptz
--
-- Purpose  The moment that a value of a time column stands for: table_bound_v1 the other way round.
-- Expects  kind and zone of a policy; value as text that reads the same under any settings.
-- Ensures  The moment at which the row's time is over: of a date the end of its day, of an epoch and of a UUID the end of its
--          unit. NULL for NULL, for an unknown kind or zone, and for a time that PostgreSQL cannot hold.
-- Locks    None.
-- Errors   None.
begin
    return case p_kind
        when 'timestamptz' then p_value::timestamptz
        when 'timestamp' then p_value::timestamp at time zone p_zone
        when 'date' then (p_value::date + 1)::timestamp at time zone p_zone
        when 'epoch_s' then to_timestamp(p_value::numeric + 1)
        when 'epoch_ms' then to_timestamp((p_value::numeric + 1) / 1000)
        when 'epoch_us' then to_timestamp((p_value::numeric + 1) / 1000000)
        when 'epoch_ns' then to_timestamp((p_value::numeric + 1) / 1000000000)
        when 'uuidv7' then to_timestamp((('x' || left(replace(p_value, '-', ''), 12))::bit(48)::bigint + 1) / 1000.0)
    end;
exception
    when datetime_field_overflow or numeric_value_out_of_range or invalid_parameter_value then
        return null;
end
$$;

revoke all on function queen.table_time_v1 from public;
grant execute on function queen.table_time_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_time_v1');
