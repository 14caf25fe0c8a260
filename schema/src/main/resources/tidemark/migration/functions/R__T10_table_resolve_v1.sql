create or replace function queen.table_resolve_v1(p_name text)
    returns table (policy queen.table_policies, relation text, column_type regtype, archive text, archive_columns name[], problem text)
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
as $$
-- table_resolve_v1(name) -> (policy, relation, column_type, archive, archive_columns, problem), one row
--
-- Purpose  The one place where a policy finds its table, its time column and its archive.
-- Expects  The name of a policy.
-- Ensures  In the database the policy was set in, oids and column numbers decide, and policy carries the names they have by
--          now. In another one (table_home_v1) the names decide, and policy carries the oids from here, but not of a policy
--          that was lost at home. In a copy by TEMPLATE the two have to agree. relation, archive: as SQL spells them. problem:
--          why no step may touch the table: it is gone, even where another one took its name; so is its time column, its
--          archive, or a column of the predicate; or it holds another type. NULL: none.
-- Locks    None.
-- Errors   TM008 no such policy.
declare
    v_home   text;
    v_here   boolean;
    v_copy   boolean;
    v_was    queen.table_policies;
    v_class  record;
    v_column record;
    v_lost   text;
begin
    select p.* into policy from queen.table_policies p where p.name = p_name;
    if not found then
        raise exception 'table_resolve_v1: no policy is named %', coalesce(quote_literal(p_name), 'null')
            using errcode = 'TM008', hint = 'The names are in queen.table_policies.';
    end if;
    v_home := queen.table_home_v1();
    v_here := policy.home = v_home;
    relation := format('%I.%I', policy.relation_schema, policy.relation_name);
    if not v_here and policy.lost then
        problem := format('relation %s, or what the policy needs of it, was gone where the policy was set', relation);
        return next;
        return;
    end if;
    v_copy := not v_here and regexp_replace(policy.home, '/.*/', '/') = regexp_replace(v_home, '/.*/', '/');
    v_here := v_here or v_copy;
    v_was := policy;

    select c.oid, n.nspname, c.relname, c.relkind into v_class
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
     where c.oid = case when v_here then policy.relation_id else (
               select o.oid
                 from pg_class o
                 join pg_namespace s on s.oid = o.relnamespace
                where s.nspname = policy.relation_schema and o.relname = policy.relation_name) end;
    if not found then
        problem := format('relation %s is gone', relation)
            || case when v_here and exists (
                   select from pg_class o join pg_namespace s on s.oid = o.relnamespace
                    where s.nspname = policy.relation_schema and o.relname = policy.relation_name)
               then ', and another one has its name' else '' end;
        return next;
        return;
    end if;
    policy.relation_id := v_class.oid;
    policy.relation_schema := v_class.nspname;
    policy.relation_name := v_class.relname;
    relation := format('%I.%I', v_class.nspname, v_class.relname);

    select * into v_column
      from queen.table_column_v1(
               p_relation => v_class.oid, p_column_id => case when v_here then policy.column_id end, p_column => policy.column_name);
    policy.column_id := coalesce(v_column.column_id, policy.column_id);
    policy.column_name := coalesce(v_column.column_name, policy.column_name);
    column_type := v_column.column_type;

    if policy.predicate_columns <> '{}' then
        -- The text of the predicate has names in it, and no oid says which columns were meant.
        select min(format('%I', c.value)) into v_lost
          from jsonb_each_text(policy.predicate_columns) c
          left join pg_attribute a
            on a.attrelid = v_class.oid and a.attname = c.value and a.attnum > 0 and not a.attisdropped
           and (not v_here or a.attnum = c.key::int)
         where a.attname is null;
        select jsonb_object_agg(a.attnum, a.attname) into policy.predicate_columns
          from pg_attribute a
         where v_lost is null and a.attrelid = v_class.oid and a.attnum > 0
           and a.attname in (select c.value from jsonb_each_text(policy.predicate_columns) c);
        policy.predicate_columns := coalesce(policy.predicate_columns, '{}');
    end if;

    problem := case
        when v_class.relkind not in ('r', 'p') then format('%s is no table', relation)
        when column_type is null then format('column %I of %s is gone', policy.column_name, relation)
        when not policy.kind = any (v_column.kinds) then
            format('column %I of %s is %s, which holds no %s', policy.column_name, relation, column_type, policy.kind)
        when v_lost is not null then format('column %s of %s, which the predicate reads, is gone or has another name', v_lost, relation)
    end;

    if policy.archive_id is not null then
        select c.oid, n.nspname, c.relname, c.relkind into v_class
          from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
         where c.oid = case when v_here then policy.archive_id else (
                   select o.oid
                     from pg_class o
                     join pg_namespace s on s.oid = o.relnamespace
                    where s.nspname = policy.archive_schema and o.relname = policy.archive_name) end;
        policy.archive_id := coalesce(v_class.oid, policy.archive_id);
        policy.archive_schema := coalesce(v_class.nspname, policy.archive_schema);
        policy.archive_name := coalesce(v_class.relname, policy.archive_name);
        archive := format('%I.%I', policy.archive_schema, policy.archive_name);
        select a.columns, a.misfit::text into archive_columns, v_lost
          from queen.table_archive_columns_v1(p_relation => policy.relation_id, p_archive => policy.archive_id) a;
        problem := coalesce(problem, case
            when v_class.oid is null or v_class.relkind not in ('r', 'p') then format('archive %s is gone', archive)
            when v_lost is not null then format('archive %s lacks column %I as it is in %s', archive, v_lost, relation)
        end);
    end if;
    if v_copy and (policy.relation_schema, policy.relation_name, policy.column_name, policy.archive_schema, policy.archive_name)
                  is distinct from
                  (v_was.relation_schema, v_was.relation_name, v_was.column_name, v_was.archive_schema, v_was.archive_name)
    then
        -- As numbers say, but perhaps not as whoever made the copy means it.
        problem := coalesce(problem, format('relation %s, its time column or its archive had another name when this database was copied', relation));
    end if;
    policy.home := v_home;
    return next;
end
$$;

revoke all on function queen.table_resolve_v1 from public;
grant execute on function queen.table_resolve_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_resolve_v1');
