create or replace function queen.table_names_v1(p_name text default null)
    returns bigint
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
as $$
-- table_names_v1(name) -> bigint
--
-- Purpose  Write down the names that tables, time columns and archives have by now: in a dump of the database they are all
--          there is.
-- Expects  The name of a policy; NULL: all.
-- Ensures  Of every policy, on or off, but for those that somebody is at at this moment; one from another database is at home
--          here from now on. One that fits its table no more is marked as lost. Answers how many rows changed.
-- Locks    The rows it changes FOR NO KEY UPDATE.
-- Errors   None.
declare
    v_name  text;
    v_found record;
    v_count bigint := 0::bigint;
begin
    for v_name in
        select p.name
          from queen.table_policies p
          left join (pg_class c join pg_namespace n on n.oid = c.relnamespace) on c.oid = p.relation_id
          left join pg_attribute a on a.attrelid = c.oid and a.attnum = p.column_id and not a.attisdropped
          left join (pg_class ac join pg_namespace an on an.oid = ac.relnamespace) on ac.oid = p.archive_id
         where (p_name is null or p.name = p_name)
           and (p.home <> queen.table_home_v1()
                or (p.relation_schema, p.relation_name, p.column_name, p.archive_schema, p.archive_name, p.lost)
                   is distinct from
                   (n.nspname, c.relname, a.attname, an.nspname, ac.relname,
                    exists (select from jsonb_each_text(p.predicate_columns) u
                             where not exists (select from pg_attribute b
                                                where b.attrelid = c.oid and b.attnum = u.key::int and b.attname = u.value and not b.attisdropped))))
         order by p.name
    loop
        perform from queen.table_policies p where p.name = v_name for no key update skip locked;
        continue when not found;
        -- Asked under the lock, by a statement of its own: the one above saw the tables of before.
        select r.* into v_found from queen.table_resolve_v1(p_name => v_name) r;
        if v_found.problem is null then
            v_count := v_count + queen.table_policy_write_v1(p_policy => v_found.policy)::int;
        else
            update queen.table_policies p set lost = true where p.name = v_name and not p.lost and p.home = queen.table_home_v1();
            v_count := v_count + found::int;
        end if;
    end loop;
    return v_count;
end
$$;

revoke all on function queen.table_names_v1 from public;
grant execute on function queen.table_names_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_names_v1');
