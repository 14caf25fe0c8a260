create or replace function queen.require_name_v1(p_function text, p_argument text, p_value text)
    returns void
    language plpgsql
    immutable
    set search_path = pg_catalog, pg_temp
as $$
-- require_name_v1(function, argument, value) -> nothing
--
-- Purpose  Refuse a name of a queue, a partition or a group that cannot be kept.
-- Expects  The function and the argument, for the message. A name is 1 to 1024 bytes long: it has to fit an index row.
-- Locks    None.
-- Errors   22023 naming the argument.
begin
    if coalesce(p_value, '') = '' then
        raise exception '%: % must not be null or empty', p_function, p_argument using errcode = '22023';
    end if;
    if octet_length(p_value) > 1024 then
        raise exception '%: % must be at most 1024 bytes long, not %', p_function, p_argument, octet_length(p_value)
            using errcode = '22023';
    end if;
end
$$;

revoke all on function queen.require_name_v1 from public;
grant execute on function queen.require_name_v1 to queen_broker, queen_retention, queen_reader;
call queen.publish_contract_v1('queen.require_name_v1');
