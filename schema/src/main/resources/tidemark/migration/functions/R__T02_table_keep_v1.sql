create or replace function queen.table_keep_v1(p_function text, p_keep text)
    returns interval
    language plpgsql
    immutable
    set search_path = pg_catalog, pg_temp
    set intervalstyle = 'postgres'
as $$
-- table_keep_v1(function, keep) -> interval
--
-- Purpose  Read how long rows are kept.
-- Expects  An interval of SQL, as 30 days; the function, for the message.
-- Ensures  Above zero in each field that is not zero, and at most 1000 years: it has one meaning, and nobody's minus deletes
--          everything.
-- Locks    None.
-- Errors   22023 naming the argument.
declare
    v_keep  interval;
    v_clock interval;
begin
    begin
        v_keep := p_keep::interval;
    exception
        when data_exception then null;
    end;
    if isfinite(v_keep) and v_keep <= interval '1000 years' then
        v_clock := v_keep - make_interval(
            years => extract(year from v_keep)::int, months => extract(month from v_keep)::int, days => extract(day from v_keep)::int);
    end if;
    if (v_clock >= interval '0' and extract(year from v_keep) >= 0 and extract(month from v_keep) >= 0 and extract(day from v_keep) >= 0
        and v_keep > interval '0') is not true
    then
        raise exception '%: p_keep must be an interval above 0, without a negative part, of at most 1000 years, not %',
            p_function, coalesce(quote_literal(left(p_keep, 100)), 'null')
            using errcode = '22023', hint = 'For instance 30 days, 1 month, or 36 hours.';
    end if;
    return v_keep;
end
$$;

revoke all on function queen.table_keep_v1 from public;
grant execute on function queen.table_keep_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_keep_v1');
