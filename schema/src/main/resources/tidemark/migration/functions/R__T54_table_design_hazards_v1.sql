create or replace function queen.table_design_hazards_v1(p_name text)
    returns table (hazard text, detail text, fix text)
    language sql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_design_hazards_v1(name) -> (hazard, detail, fix), one row a hazard
--
-- Purpose  What is dangerous about the table of a policy: what keeps rows in it for ever, or makes a step fail or slow.
-- Expects  The name of a policy.
-- Ensures  unfit, see table_unfit_v1; forbidden, row security, blind: for the caller; referenced: by a foreign key that refuses; never: rows whose time
--          cannot pass; future: rows from after tomorrow; archive: one that nobody empties; no autovacuum. Nothing about a table that is gone
--          or cannot be read. Counts end at 10000.
-- Locks    As table_look_v1.
-- Errors   TM008 no such policy.
    with found as materialized (
        select (r.policy).*, r.relation, r.archive from queen.table_resolve_v1(p_name => p_name) r where r.problem is null
    ), look as materialized (
        select k.* from queen.table_look_v1(p_name => p_name, p_count => true, p_most => 10000) k where k.problem is null
    )
    select 'unfit', u.detail, u.fix from queen.table_unfit_v1(p_name => p_name) u
    union all
    select 'forbidden', format('%I may not %s on %s', current_user, w.what, w.relation), format('grant %s on %s to %I;', w.what, w.relation, current_user)
      from (select 'delete' as what, f.relation, f.relation_id as id from found f
            union all select 'select', f.relation, f.relation_id from found f
            union all select 'update', f.relation, f.relation_id from found f
            union all select 'insert', f.archive, f.archive_id from found f where f.archive_id is not null) w
     where not has_table_privilege(w.id, w.what)
    union all
    select 'row security', format('row security of %s applies to %I: its steps are refused', f.relation, current_user),
           format('alter role %I bypassrls; or run it as the owner of the table', current_user)
      from found f
     where row_security_active(f.relation_id)
    union all
    select 'blind', format('%I sees no lag of replicas and no vacuum, and so waits for neither', current_user),
           format('grant pg_monitor to %I;', current_user)
      from found f
     where not pg_has_role('pg_read_all_stats', 'usage')
    union all
    select 'referenced', format('constraint %I of %s refuses the delete of a row that is pointed at, and with it the whole batch', k.conname, k.conrelid::regclass),
           'let the key cascade or set null, keep the rows that point for a shorter time, or tell the rows apart with a condition'
      from found f
      join pg_constraint k on k.confrelid = f.relation_id and k.contype = 'f' and k.confdeltype in ('a', 'r') and k.conparentid = 0
    union all
    select 'never', format('%s%s rows never go: their time is NULL, infinite, or no UUID of version 7',
                           case when sum(k.never) >= 10000 then 'at least ' else '' end, sum(k.never)),
           'give them a time, or delete them by hand'
      from look k
    having sum(k.never) > 0
    union all
    select 'future', format('the newest row is from %s', max(t.at)), 'look for clocks that are wrong: such rows stay until their time has passed'
      from found f
     cross join look k
     cross join lateral queen.table_time_v1(p_kind => f.kind, p_zone => f.zone, p_value => k.newest) as t(at)
     where isfinite(t.at)
    having max(t.at) > now() + interval '1 day 1 hour'
    union all
    select 'archive', format('nothing deletes from archive %s: it grows for ever', f.archive),
           format('retention table add %s --column .. --keep ..', quote_literal(f.archive))
      from found f
     where f.archive_id is not null
       and not exists (select from queen.table_policies p where p.relation_id = f.archive_id and p.enabled and p.home = f.home)
    union all
    select 'no autovacuum', format('autovacuum is off for %s: what is deleted is never given back', c.oid::regclass),
           format('alter table %s reset (autovacuum_enabled);', c.oid::regclass)
      from found f
     cross join lateral queen.table_leaves_v1(p_relation => f.relation_id) l
      join pg_class c on c.oid = l.leaf_id
     where exists (select from unnest(c.reloptions) o where o in ('autovacuum_enabled=false', 'autovacuum_enabled=off'));
$$;

revoke all on function queen.table_design_hazards_v1 from public;
grant execute on function queen.table_design_hazards_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_design_hazards_v1');
