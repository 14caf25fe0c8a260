create or replace function queen.log_transaction_check_v1(p jsonb)
    returns void
    language plpgsql
    immutable
    set search_path = pg_catalog, pg_temp
as $$
-- log_transaction_check_v1(p) -> nothing
--
-- Purpose  Refuse a transaction that log_transaction_wire_v1 could not read, before it takes a lock.
-- Expects  Any jsonb.
-- Ensures  pushes and acks are arrays, or absent, of objects without an unknown key; values have their type and range. Bytes are
--          base64 without line breaks. An absent partition, or null, means 'Default'; an absent verified, or null, nothing.
-- Locks    None.
-- Errors   22023 naming the key and the element, counted from 0.
declare
    v_fault text;
begin
    if jsonb_typeof(p) is distinct from 'object' then
        raise exception 'log_transaction_wire_v1: p must be an object, not %', coalesce(jsonb_typeof(p), 'null') using errcode = '22023';
    end if;
    select case when t.key not in ('pushes', 'acks') then format('unknown key %s', t.key) else format('%s must be an array', t.key) end
      into v_fault
      from jsonb_each(p) t
     where t.key not in ('pushes', 'acks') or jsonb_typeof(t.value) <> 'array'
     order by t.key
     limit 1;
    if not found then
        with rules (list, key, type, optional, pattern, wanted) as (values
            ('pushes', 'queue', 'string', false, '.', 'a string that is not empty'),
            ('pushes', 'partition', 'string', true, '.', 'a string that is not empty'),
            ('pushes', 'msgCount', 'number', false, '^[0-9]{1,9}$', 'a whole number from 1 to 999999999'),
            ('pushes', 'hashes', 'string', false, '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==|[A-Za-z0-9+/]=))?$', 'base64'),
            ('pushes', 'verified', 'number', true, '^-?[0-9]{1,19}$', 'a whole number of 64 bits'),
            ('pushes', 'blob', 'string', false, '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==|[A-Za-z0-9+/]=))?$', 'base64'),
            ('acks', 'partitionId', 'string', false,
             '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$', 'a uuid'),
            ('acks', 'group', 'string', false, '.', 'a string that is not empty'),
            ('acks', 'worker', 'string', false, '.', 'a string that is not empty'),
            ('acks', 'offset', 'number', false, '^-?[0-9]{1,19}$', 'a whole number of 64 bits'))
        select case when jsonb_typeof(e.value) <> 'object' then format('%s[%s] must be an object', l.list, e.i - 1)
                    else format('%s[%s]: %s', l.list, e.i - 1, k.fault) end
          into v_fault
          from (values ('pushes'), ('acks')) l(list)
         cross join lateral jsonb_array_elements(p -> l.list) with ordinality e(value, i)
          left join lateral (
               select coalesce(
                          (select format('unknown key %s', o.key)
                             from jsonb_object_keys(case jsonb_typeof(e.value) when 'object' then e.value else '{}' end) o(key)
                            where not exists (select 1 from rules r where r.list = l.list and r.key = o.key)
                            order by o.key limit 1),
                          (select format('%s must be %s', r.key, r.wanted)
                             from rules r
                            where r.list = l.list
                              and not case when coalesce(jsonb_typeof(e.value -> r.key), 'null') = 'null' then r.optional
                                           -- Nineteen digits hold more than a bigint does.
                                           when jsonb_typeof(e.value -> r.key) = 'number'
                                               and (e.value -> r.key)::numeric not between -9223372036854775808 and 9223372036854775807 then false
                                           else jsonb_typeof(e.value -> r.key) = r.type and e.value ->> r.key ~ r.pattern end
                            order by r.key limit 1)) as fault) k on true
         where jsonb_typeof(e.value) <> 'object' or k.fault is not null
         order by l.list desc, e.i
         limit 1;
    end if;
    if v_fault is not null then
        raise exception 'log_transaction_wire_v1: %', v_fault using errcode = '22023';
    end if;
end
$$;

revoke all on function queen.log_transaction_check_v1 from public;
grant execute on function queen.log_transaction_check_v1 to queen_broker;
call queen.publish_contract_v1('queen.log_transaction_check_v1');
