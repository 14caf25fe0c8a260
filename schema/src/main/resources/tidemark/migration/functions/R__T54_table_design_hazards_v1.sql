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
-- Ensures  unfit, see table_unfit_v1; forbidden, see table_rights_v1; row security, blind: for the caller; referenced: by a
--          foreign key that refuses; cascade: rows of others go past the archive; rule, replica identity, statement trigger:
--          what the server makes of a delete there; shared: with a policy that has no condition; unit: the number makes sense
--          in another one alone; never: rows whose time cannot pass; future: rows from after tomorrow; archive: one that nobody
--          empties; no autovacuum. Nothing about a table that is gone or cannot be read. Counts end at 10000.
-- Locks    As table_look_v1.
-- Errors   TM008 no such policy.
    with found as materialized (
        select (r.policy).*, r.relation, r.archive from queen.table_resolve_v1(p_name => p_name) r where r.problem is null
    ), leaves as materialized (
        select l.* from found f cross join lateral queen.table_leaves_v1(p_relation => f.relation_id) l
    ), published as materialized (
        select c.oid as id
          from pg_publication b
          join pg_publication_tables t on t.pubname = b.pubname
          join pg_namespace n on n.nspname = t.schemaname
          join pg_class c on c.relnamespace = n.oid and c.relname = t.tablename
         where b.pubdelete
    ), look as materialized (
        select k.* from queen.table_look_v1(p_name => p_name, p_count => true, p_most => 10000) k where k.problem is null
    )
    select 'unfit', u.detail, u.fix from queen.table_unfit_v1(p_name => p_name) u
    union all
    select 'forbidden', format('%I may not %s on %s', current_user, w.privilege, w.relation),
           format('grant %s on %s to %I;', w.privilege, w.relation, current_user)
      from found f
     cross join lateral queen.table_rights_v1(p_relation => f.relation_id, p_archive => f.archive_id) w
    union all
    select 'row security', format('row security of %s applies to %I: its steps are refused', l.leaf, current_user),
           format('alter role %I bypassrls; or run it as the owner of the table', current_user)
      from leaves l
     where row_security_active(l.leaf_id)
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
    select 'cascade', format('constraint %I takes rows of %s along: they are in no archive', k.conname, k.conrelid::regclass),
           'delete them first by a policy of their own, or let the key refuse'
      from found f
      join pg_constraint k on k.confrelid = f.relation_id and k.contype = 'f' and k.confdeltype = 'c' and k.conparentid = 0
     where f.archive_id is not null
    union all
    select 'rule', format('rule %I of %s does something instead of a delete: no row may go', w.rulename, l.leaf),
           format('drop rule %I on %s;', w.rulename, l.leaf)
      from leaves l
      join pg_rewrite w on w.ev_class = l.leaf_id and w.ev_type = '4' and w.is_instead
    union all
    select 'replica identity', format('%s is published with its deletes and has no replica identity: the server refuses each of them', l.leaf),
           format('alter table %s replica identity full; or give it a primary key', l.leaf)
      from leaves l
      join pg_class c on c.oid = l.leaf_id
     where not exists (select from pg_index i
                        where i.indrelid = c.oid and (c.relreplident = 'd' and i.indisprimary or c.relreplident = 'i' and i.indisreplident))
       and c.relreplident <> 'f'
       and (c.oid in (select p.id from published p) or exists (select from pg_partition_ancestors(c.oid) a join published p on p.id = a.relid))
    union all
    select 'statement trigger', format('trigger %I of %s is for a statement, and does not see what goes from the leaves', g.tgname, f.relation),
           'let it be FOR EACH ROW'
      from found f
      join pg_trigger g on g.tgrelid = f.relation_id and not g.tgisinternal and g.tgenabled <> 'D' and g.tgtype & 1 = 0 and g.tgtype & 8 <> 0
     where exists (select from leaves l where l.leaf_id <> f.relation_id)
    union all
    select 'shared', format('policy %L deletes from %s too, and has no condition: the shorter of the two decides', o.name, f.relation),
           format('select queen.table_policy_remove_v1(%L);', o.name)
      from found f
      join queen.table_policies o on o.relation_id = f.relation_id and o.home = f.home and o.name <> f.name
     where o.enabled and o.predicate is null
    union all
    select 'unit', format('the newest value, %s, is from %s in %s, and from %s in %s', u.newest, to_char(x.at, 'YYYY-MM-DD'), u.kind,
                          to_char(o.at, 'YYYY-MM-DD'), u.better),
           format('set the policy again with p_kind => %L', u.better)
      from (select n.*, queen.table_unit_v1(p_kind => n.kind, p_newest => n.newest) as better
              from (select f.kind, max(k.newest::numeric)::text as newest from found f cross join look k where f.kind like 'epoch%' group by f.kind) n) u
     cross join lateral queen.table_time_v1(p_kind => u.kind, p_zone => null, p_value => u.newest) as x(at)
     cross join lateral queen.table_time_v1(p_kind => u.better, p_zone => null, p_value => u.newest) as o(at)
     where u.better is not null
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
      from leaves l
      join pg_class c on c.oid = l.leaf_id
     where exists (select from unnest(c.reloptions) o where o in ('autovacuum_enabled=false', 'autovacuum_enabled=off'));
$$;

revoke all on function queen.table_design_hazards_v1 from public;
grant execute on function queen.table_design_hazards_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_design_hazards_v1');
