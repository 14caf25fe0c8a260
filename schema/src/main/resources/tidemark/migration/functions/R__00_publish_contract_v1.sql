create or replace procedure queen.publish_contract_v1(p_function regproc)
    language plpgsql
    set search_path = pg_catalog, pg_temp
as $$
-- publish_contract_v1(function) -> nothing
--
-- Purpose  Make the contract that heads a function's body its COMMENT ON FUNCTION, so that \df+ shows what the file says.
-- Expects  A body that begins with a block of -- lines. The function has one signature.
-- Locks    The function's catalog row. Only migrations call it.
-- Errors   22023 the body does not begin with a contract.
declare
    v_contract text;
    v_kind     text;
begin
    select string_agg(regexp_replace(l.line, '^-- ?', ''), e'\n' order by l.nr),
           min(case p.prokind when 'p' then 'procedure' else 'function' end)
      into v_contract, v_kind
      from pg_proc p
     cross join lateral regexp_split_to_table(ltrim(p.prosrc, e'\n'), e'\n') with ordinality l(line, nr)
     where p.oid = p_function
       and l.nr < (select coalesce(min(o.nr), 2147483647)
                     from regexp_split_to_table(ltrim(p.prosrc, e'\n'), e'\n') with ordinality o(line, nr)
                    where o.line !~ '^--');
    if v_contract is null then
        raise exception 'publish_contract_v1: the body of % does not begin with a contract', p_function using errcode = '22023';
    end if;
    execute format('comment on %s %s is %L', v_kind, p_function, v_contract);
end
$$;

revoke all on procedure queen.publish_contract_v1 from public;
call queen.publish_contract_v1('queen.publish_contract_v1');
