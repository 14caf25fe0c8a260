create or replace function queen.table_require_v1(p_function text, p_relation oid, p_column name, p_archive oid)
    returns void
    language plpgsql
    stable
    set search_path = pg_catalog, pg_temp
as $$
-- table_require_v1(function, relation, column, archive) -> nothing
--
-- Purpose  Refuse a table in which a batch would read more than its own rows, and an archive that rows could not stay in.
-- Expects  The name of the function, for the message; oids that exist; the time column; archive may be NULL.
-- Ensures  Each leaf is a table and has an index for table_index_v1. Each foreign key that points at the table, or at one of
--          its leaves, has an index on the columns that point, and none takes rows of the table along, whatever their time. The
--          archive has each column with its type, is not of the table's own family, and what it gets does not come back by
--          other policies.
-- Locks    None.
-- Errors   22023 with the statement that mends it.
declare
    v_bad     record;
    v_cascade text;
begin
    select l.leaf, l.kind into v_bad
      from queen.table_leaves_v1(p_relation => p_relation) l
     where l.kind <> 'r' or queen.table_index_v1(p_leaf => l.leaf_id, p_column => p_column) is null
     order by l.leaf_id
     limit 1;
    if found and v_bad.kind <> 'r' then
        raise exception '%: p_relation must consist of tables, and % is a foreign table', p_function, v_bad.leaf using errcode = '22023';
    elsif found then
        raise exception '%: p_column must be led by an index (btree, valid, not partial), and % has none on %',
            p_function, v_bad.leaf, quote_ident(p_column)
            using errcode = '22023', hint = format('create index concurrently on %s (%I);', v_bad.leaf, p_column);
    end if;

    select k.conname, format('%I.%I', n.nspname, c.relname) as source,
           (select string_agg(format('%I', a.attname), ', ' order by u.nr)
              from unnest(k.conkey) with ordinality u(attnum, nr)
              join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum) as columns
      into v_bad
      from pg_constraint k
      join pg_class c on c.oid = k.conrelid
      join pg_namespace n on n.oid = c.relnamespace
     where k.contype = 'f'
       and (k.confrelid = p_relation or k.confrelid in (select l.leaf_id from queen.table_leaves_v1(p_relation => p_relation) l))
       and not exists (
           select from pg_index i
             join pg_class x on x.oid = i.indexrelid
             join pg_am m on m.oid = x.relam and m.amname in ('btree', 'hash')
            where i.indrelid = k.conrelid and i.indisvalid and i.indisready and i.indpred is null and i.indnkeyatts >= cardinality(k.conkey)
              and k.conkey <@ (i.indkey::smallint[])[0:cardinality(k.conkey) - 1])
     order by k.conparentid, k.conname
     limit 1;
    if found then
        raise exception '%: p_relation must not be pointed at without an index: constraint % of % has none on (%), so each row that goes would read all of it',
            p_function, quote_ident(v_bad.conname), v_bad.source, v_bad.columns
            using errcode = '22023', hint = format('create index concurrently on %s (%s);', v_bad.source, v_bad.columns);
    end if;

    v_cascade := queen.table_cascade_v1(p_relation => p_relation, p_archive => p_archive);
    if v_cascade is not null then
        raise exception '%: p_relation must not cascade into itself, or into p_archive: by constraint % rows go along that have to stay',
            p_function, v_cascade
            using errcode = '22023', hint = 'Let the key set null, or refuse.';
    end if;

    if p_archive is null then
        return;
    end if;
    if exists (
        with recursive up (id) as (
            select p_relation union select i.inhparent from up u join pg_inherits i on i.inhrelid = u.id),
        down (id) as (
            select u.id from up u union select i.inhrelid from down d join pg_inherits i on i.inhparent = d.id)
        select from down d where d.id = p_archive)
    then
        raise exception '%: p_archive must be another table than p_relation, its partitions and children, and what it is a part of', p_function
            using errcode = '22023';
    end if;
    select a.misfit into v_bad from queen.table_archive_columns_v1(p_relation => p_relation, p_archive => p_archive) a;
    if v_bad.misfit is not null then
        raise exception '%: p_archive must have each column of p_relation with its type, and lacks %', p_function, quote_ident(v_bad.misfit)
            using errcode = '22023';
    end if;
    select l.leaf, c.attname into v_bad
      from queen.table_leaves_v1(p_relation => p_relation) l
     cross join lateral queen.table_own_column_v1(p_relation => p_relation, p_leaf_id => l.leaf_id) c (attname)
     where c.attname is not null
     limit 1;
    if found then
        raise exception '%: p_archive must get each column, and % of % is none of p_relation', p_function, quote_ident(v_bad.attname), v_bad.leaf
            using errcode = '22023', hint = 'Set a policy for that table alone, with an archive that has the column.';
    end if;
    if exists (
        with recursive onward (id) as (
            select p_archive union select p.archive_id from onward o join queen.table_policies p on p.relation_id = o.id and p.archive_id is not null)
        select from onward o where o.id = p_relation)
    then
        raise exception '%: p_archive must not lead back: by other policies its rows come to p_relation again', p_function
            using errcode = '22023';
    end if;
end
$$;

revoke all on function queen.table_require_v1 from public;
grant execute on function queen.table_require_v1 to queen_retention, queen_reader;
call queen.publish_contract_v1('queen.table_require_v1');
