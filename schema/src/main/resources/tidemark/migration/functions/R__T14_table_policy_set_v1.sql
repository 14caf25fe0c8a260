create or replace function queen.table_policy_set_v1(
    p_relation  text,
    p_column    text,
    p_keep      text,
    p_kind      text default null,
    p_name      text default null,
    p_zone      text default null,
    p_batch     int default 10000,
    p_predicate text default null,
    p_archive   text default null,
    p_enabled   boolean default true,
    p_strategy  text default 'delete')
    returns jsonb
    language plpgsql
    volatile
    set search_path = pg_catalog, pg_temp
    set quote_all_identifiers = off
as $$
-- table_policy_set_v1(relation, column, keep, kind, name, zone, batch, predicate, archive, enabled, strategy)
--   -> {"name", "relation", "column", "kind", "zone", "keep", "batch", "predicate", "archive", "enabled", "strategy", "created", "warnings"}
--
-- Purpose  Set a policy: how long the rows of an ordinary table stay. Replaces the one of that name as a whole, or makes it.
-- Expects  relation, archive: as SQL spells them, with a schema, or else of schema public. column: its name, or as SQL spells
--          it. keep: an interval. kind: how the column tells time; NULL: as its type says, which a number does not. name: NULL:
--          the relation as SQL spells it, without schema public. zone: of a timestamp or a date, a name in pg_timezone_names.
--          batch: 1 to 100000, at most so many rows a step. predicate: a boolean expression over the row; only rows for which
--          it is true go. archive: a table that gets the rows that go.
-- Ensures  Refuses what could not be kept to: see table_find_v1, table_keep_v1, table_predicate_v1 and table_require_v1; a
--          number whose newest value makes sense in another unit alone; and a table that the caller could not delete from. How
--          runs of a policy ended that was replaced is forgotten. created: the name was new. warnings: [{"hazard", "detail",
--          "fix"}] of table_design_hazards_v1, what is less than a refusal.
-- Locks    The policy's row; ACCESS SHARE on the tables.
-- Errors   22023 naming the argument, with what is allowed, and the statement that mends it. 42501 see table_rights_v1. 42P07 see
--          table_predicate_v1.
declare
    c_me        constant text := 'table_policy_set_v1';
    v_id        oid := queen.table_find_v1(p_function => c_me, p_argument => 'p_relation', p_relation => p_relation);
    v_name      text := p_name;
    v_lack      record;
    v_answer    jsonb;
    v_archive   oid;
    v_keep      interval := queen.table_keep_v1(p_function => c_me, p_keep => p_keep);
    v_column    record;
    v_kind      text;
    v_zone      text;
    v_predicate record;
    v_new       boolean;
begin
    if v_name is null then
        select case n.nspname when 'public' then format('%I', c.relname) else format('%I.%I', n.nspname, c.relname) end into v_name
          from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
         where c.oid = v_id;
    end if;
    perform queen.require_name_v1(p_function => c_me, p_argument => 'p_name', p_value => v_name);
    if p_archive is not null then
        v_archive := queen.table_find_v1(p_function => c_me, p_argument => 'p_archive', p_relation => p_archive);
    end if;
    if p_strategy is distinct from 'delete' then
        raise exception '%: p_strategy must be delete, not %', c_me, coalesce(p_strategy, 'null') using errcode = '22023';
    end if;
    if (p_batch between 1 and 100000) is not true then
        raise exception '%: p_batch must be from 1 to 100000, not %', c_me, coalesce(p_batch::text, 'null') using errcode = '22023';
    end if;
    if p_enabled is null then
        raise exception '%: p_enabled must not be null', c_me using errcode = '22023';
    end if;

    -- A name as it stands before one that SQL would fold.
    select k.* into v_column
      from pg_attribute a
     cross join lateral queen.table_column_v1(p_relation => a.attrelid, p_column_id => a.attnum, p_column => a.attname) k
     where a.attrelid = v_id
       and a.attname::text = any (array[p_column]
               || case when p_column ~ '^([[:alpha:]_][[:alnum:]_$]*|"([^"]|"")+")$' then parse_ident(p_column) end)
     order by a.attname::text = p_column desc
     limit 1;
    if not found then
        raise exception '%: p_column must name a column of %, and it has none %', c_me, p_relation, coalesce(quote_literal(p_column), 'null')
            using errcode = '22023';
    end if;
    v_kind := coalesce(p_kind, case when cardinality(v_column.kinds) = 1 then v_column.kinds[1] end);
    if v_kind is null or not v_kind = any (v_column.kinds) then
        raise exception '%: p_kind must be % for column % of type %, not %', c_me,
            case cardinality(v_column.kinds) when 0 then 'timestamptz, timestamp, date, epoch_s, epoch_ms, epoch_us, epoch_ns or uuidv7, and there is none'
                else array_to_string(v_column.kinds, ', ') end,
            quote_ident(v_column.column_name), v_column.column_type, coalesce(v_kind, 'null')
            using errcode = '22023';
    end if;
    if v_kind in ('timestamp', 'date') then
        select z.name into v_zone from pg_timezone_names z where z.name = p_zone;
    end if;
    if (v_zone is null) = (v_kind in ('timestamp', 'date')) or (v_zone is null) <> (p_zone is null) then
        raise exception '%: p_zone must be %, not %', c_me,
            case when v_kind in ('timestamp', 'date') then 'a name in pg_timezone_names, for a column that does not say which zone it means'
                 else format('null: %s has no zone', v_kind) end,
            coalesce(quote_literal(p_zone), 'null')
            using errcode = '22023', hint = 'For instance UTC or Europe/Berlin.';
    end if;
    perform queen.table_require_v1(p_function => c_me, p_relation => v_id, p_column => v_column.column_name, p_archive => v_archive);
    select p.* into v_predicate from queen.table_predicate_v1(p_relation => v_id, p_predicate => p_predicate) p;

    -- Whoever runs it does so with rights of their own, perhaps with more than the caller has.
    select r.* into v_lack from queen.table_rights_v1(p_relation => v_id, p_archive => v_archive) r limit 1;
    if found then
        raise exception '%: % may not % on %, and a policy does', c_me, current_user, v_lack.privilege, v_lack.relation
            using errcode = '42501', hint = format('grant %s on %s to %I;', v_lack.privilege, v_lack.relation, current_user);
    end if;

    -- First the policy's row, as a step takes it.
    perform from queen.table_policies p where p.name = v_name for no key update;
    -- A position belongs to a table and a condition, and so does how a run ended.
    delete from queen.table_positions t where t.policy = v_name;
    delete from queen.table_runs r where r.policy = v_name;
    insert into queen.table_policies as p
        (name, home, relation_id, relation_schema, relation_name, column_id, column_name, kind, zone, keep, strategy, batch, predicate,
         predicate_columns, archive_id, archive_schema, archive_name, enabled)
    select v_name, queen.table_home_v1(), v_id, n.nspname, c.relname, v_column.column_id, v_column.column_name, v_kind, v_zone, v_keep,
           p_strategy, p_batch, v_predicate.predicate, v_predicate.columns, a.oid, an.nspname, a.relname, p_enabled
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      left join (pg_class a join pg_namespace an on an.oid = a.relnamespace) on a.oid = v_archive
     where c.oid = v_id
    on conflict (name) do update
       set (home, relation_id, relation_schema, relation_name, column_id, column_name, kind, zone, keep, strategy, batch, predicate,
            predicate_columns, archive_id, archive_schema, archive_name, enabled, lost, updated_at)
         = (excluded.home, excluded.relation_id, excluded.relation_schema, excluded.relation_name, excluded.column_id,
            excluded.column_name, excluded.kind, excluded.zone, excluded.keep, excluded.strategy, excluded.batch, excluded.predicate,
            excluded.predicate_columns, excluded.archive_id, excluded.archive_schema, excluded.archive_name, excluded.enabled, false, now())
    returning p.xmax = 0 into v_new;

    select jsonb_build_object(
                       'name', v_name, 'relation', r.relation, 'column', v_column.column_name, 'kind', v_kind, 'zone', v_zone,
                       'keep', v_keep::text, 'batch', p_batch, 'predicate', v_predicate.predicate, 'archive', r.archive,
                       'enabled', p_enabled, 'strategy', p_strategy, 'created', v_new,
                       'warnings', (select coalesce(jsonb_agg(jsonb_build_object('hazard', z.hazard, 'detail', z.detail, 'fix', z.fix)), '[]')
                                      from queen.table_design_hazards_v1(p_name => v_name) z))
      into v_answer
      from queen.table_resolve_v1(p_name => v_name) r;
    select w.value ->> 'detail' as detail, w.value ->> 'fix' as fix into v_lack
      from jsonb_array_elements(v_answer -> 'warnings') w
     where w.value ->> 'hazard' = 'unit';
    if found then
        raise exception '%: p_kind must be the unit of %: %', c_me, quote_ident(v_column.column_name), v_lack.detail
            using errcode = '22023', hint = v_lack.fix;
    end if;
    return v_answer;
end
$$;

revoke all on function queen.table_policy_set_v1 from public;
grant execute on function queen.table_policy_set_v1 to queen_retention;
call queen.publish_contract_v1('queen.table_policy_set_v1');
