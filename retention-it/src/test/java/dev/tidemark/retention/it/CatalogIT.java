package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the catalog says about the deployed schema: the rules no single migration can check. */
class CatalogIT {
  private static final String ROUTINES =
      """
      select p.proname, p.prosrc, p.prosecdef, p.provolatile::text as volatility, p.prokind::text as kind,
             p.prosqlbody is not null as standard,
             obj_description(p.oid, 'pg_proc') as comment,
             p.proconfig::text as config,
             p.proacl is null or exists (select 1 from aclexplode(p.proacl) a where a.grantee = 0) as is_public
        from pg_proc p
       where p.pronamespace = 'queen'::regnamespace
       order by p.proname
      """;
  private static final String TABLES =
      """
      select c.oid::regclass::text as name, c.oid
        from pg_class c
       where c.relnamespace in ('queen'::regnamespace, 'queen_streams'::regnamespace) and c.relkind in ('r', 'p')
       order by 1
      """;

  private static final Set<String> DRAINS =
      Set.of(
          "log_drain_v1",
          "log_evict_max_wait_drain_v1",
          "log_retention_drain_v1",
          "log_txns_purge_drain_v1",
          "table_retention_run_v1");

  private static TestDatabase database;
  private static Sql sql;
  private static List<Map<String, Object>> routines;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    routines = sql.rows(ROUTINES);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @Test
  void everyRoutineHasOneSignature() {
    assertThat(routines).hasSizeGreaterThan(35);
    assertThat(routines).extracting(r -> r.get("proname")).doesNotHaveDuplicates();
  }

  @Test
  void everyRoutineIsCommentedWithItsContract() {
    for (Map<String, Object> routine : routines) {
      String name = (String) routine.get("proname");
      String comment = String.valueOf(routine.get("comment"));
      assertThat(comment).as(name).startsWith(name + "(");
      for (String section : List.of("Purpose", "Locks", "Errors")) {
        assertThat(comment.lines())
            .as("%s: %s", name, section)
            .anyMatch(l -> l.startsWith(section + " "));
      }
    }
  }

  @Test
  void theCommentIsTheBlockThatHeadsTheBody() {
    for (Map<String, Object> routine : routines) {
      if (!(boolean) routine.get("standard")) {
        String head =
            ((String) routine.get("prosrc"))
                .strip()
                .lines()
                .takeWhile(line -> line.startsWith("--"))
                .map(line -> line.replaceFirst("^-- ?", ""))
                .collect(Collectors.joining("\n"));
        assertThat(routine.get("comment")).as("%s", routine.get("proname")).isEqualTo(head);
      }
    }
  }

  @Test
  void everyRoutineThatIsParsedWhenCalledPinsItsSearchPath() {
    for (Map<String, Object> routine : routines) {
      if (!(boolean) routine.get("standard") && !DRAINS.contains(routine.get("proname"))) {
        assertThat((String) routine.get("config"))
            .as("%s", routine.get("proname"))
            .contains("search_path=pg_catalog, pg_temp");
      }
    }
  }

  /** A SET clause would keep them from committing; their body pins it in each transaction. */
  @Test
  void onlyTheDrainsPinNothing() {
    assertThat(routines)
        .filteredOn(r -> DRAINS.contains(r.get("proname")))
        .hasSameSizeAs(DRAINS)
        .allMatch(r -> r.get("kind").equals("p") && r.get("config") == null);
  }

  @Test
  void noRoutineRunsWithTheRightsOfItsOwnerOrIsOpenToAll() {
    assertThat(routines).filteredOn(r -> (boolean) r.get("prosecdef")).isEmpty();
    assertThat(routines)
        .filteredOn(r -> (boolean) r.get("is_public"))
        .extracting(r -> r.get("proname"))
        .isEmpty();
  }

  @Test
  void noRoutineSwallowsEveryError() {
    assertThat(routines)
        .filteredOn(r -> String.valueOf(r.get("prosrc")).matches("(?is).*\\bwhen\\s+others\\b.*"))
        .extracting(r -> r.get("proname"))
        .as("but those that answer with what they caught")
        .containsExactly("log_drain_step_v1", "table_look_v1", "table_run_step_v1");
  }

  @Test
  void noRoutineLeavesTheMeaningOfAStringToTheSession() {
    // publish_contract_v1 spells the kind of its strings out; and so must whoever needs a
    // backslash.
    assertThat(routines)
        .filteredOn(
            r ->
                String.valueOf(r.get("prosrc"))
                    .lines()
                    .filter(line -> !line.startsWith("--"))
                    .anyMatch(line -> line.replaceAll("\\be'[^']*'", "").contains("\\")))
        .extracting(r -> r.get("proname"))
        .isEmpty();
  }

  @Test
  void stepsAreVolatile() {
    assertThat(routines)
        .filteredOn(
            r ->
                ((String) r.get("proname"))
                    .matches(
                        ".*_step_v\\d+|lease_(claim|renew|release)_v\\d+|log_(seek|ack|import)_v\\d+"))
        .hasSizeGreaterThan(9)
        .allMatch(r -> "v".equals(r.get("volatility")));
  }

  @Test
  void noTableSequenceOrSchemaIsOpenToAll() {
    assertThat(
            sql.rows(
                """
                select c.oid::regclass::text as name
                  from pg_class c, aclexplode(c.relacl) a
                 where c.relnamespace in ('queen'::regnamespace, 'queen_streams'::regnamespace) and a.grantee = 0
                union all
                select c.oid::regclass || '.' || t.attname
                  from pg_class c join pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a
                 where c.relnamespace in ('queen'::regnamespace, 'queen_streams'::regnamespace) and a.grantee = 0
                union all
                select n.nspname from pg_namespace n, aclexplode(n.nspacl) a where n.nspname like 'queen%' and a.grantee = 0
                union all
                select 'default for ' || d.defaclobjtype::text from pg_default_acl d, aclexplode(d.defaclacl) a where a.grantee = 0
                """))
        .isEmpty();
  }

  @Test
  void onlyTheThreeRolesAreGrantedAnything() {
    assertThat(
            sql.rows(
                """
                select distinct a.grantee::regrole::text as grantee
                  from pg_class c, aclexplode(c.relacl) a
                 where c.relnamespace in ('queen'::regnamespace, 'queen_streams'::regnamespace) and a.grantee <> c.relowner
                """))
        .extracting(r -> r.get("grantee"))
        .containsExactlyInAnyOrder("queen_broker", "queen_retention", "queen_reader");
    assertThat(
            sql.rows(
                "select rolname from pg_roles where rolname in ('queen_broker', 'queen_retention',"
                    + " 'queen_reader') and not rolcanlogin and not rolsuper and not rolbypassrls"))
        .hasSize(3);
  }

  @Test
  void everyTableHasAPrimaryKeyAndAComment() {
    List<Map<String, Object>> tables = sql.rows(TABLES);
    assertThat(tables).hasSizeGreaterThan(16);
    for (Map<String, Object> table : tables) {
      String name = (String) table.get("name");
      assertThat(
              sql.number(
                  "select count(*) from pg_constraint where conrelid = ?::regclass and contype ="
                      + " 'p'",
                  name))
          .as(name)
          .isOne();
      if (!name.endsWith("schema_history")) {
        assertThat(sql.<String>value("select obj_description(?::regclass, 'pg_class')", name))
            .as(name)
            .isNotBlank();
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "queen.log_partitions | fillfactor=70, autovacuum_vacuum_scale_factor=0,"
            + " autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_delay=0,"
            + " vacuum_truncate=off",
        "queen.log_consumers | fillfactor=50, autovacuum_vacuum_scale_factor=0,"
            + " autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_delay=0,"
            + " vacuum_truncate=off",
        "queen.log_segments | autovacuum_vacuum_scale_factor=0.1,"
            + " autovacuum_vacuum_insert_scale_factor=0.3, autovacuum_vacuum_cost_limit=4000,"
            + " autovacuum_vacuum_cost_delay=0"
      })
  void aHotTableIsStoredAndVacuumedAsSpecified(String table, String options) {
    assertThat(
            options("select unnest(reloptions) as o from pg_class where oid = ?::regclass", table))
        .containsExactlyInAnyOrder(options.split(",\\s*", -1));
  }

  @Test
  void theToastOfSegmentsIsVacuumedLikeTheSegments() {
    assertThat(
            options(
                "select unnest(t.reloptions) as o from pg_class c join pg_class t on t.oid ="
                    + " c.reltoastrelid where c.oid = ?::regclass",
                "queen.log_segments"))
        .containsExactlyInAnyOrder(
            "autovacuum_vacuum_scale_factor=0.1",
            "autovacuum_vacuum_insert_scale_factor=0.3",
            "autovacuum_vacuum_cost_limit=4000",
            "autovacuum_vacuum_cost_delay=0");
  }

  @Test
  void blobsAndHashesAreNeverCompressedAgain() {
    assertThat(
            sql.rows(
                "select attrelid::regclass || '.' || attname as name from pg_attribute a join"
                    + " pg_class c on c.oid = a.attrelid where c.relnamespace ="
                    + " 'queen'::regnamespace and c.relkind = 'r' and attstorage = 'e' order by 1"))
        .extracting(r -> r.get("name"))
        .containsExactly("queen.log_segments.blob", "queen.log_txns.hashes");
  }

  @Test
  void theIndexesAreThoseOfTheSpecification() {
    Map<String, String> indexes = new TreeMap<>();
    sql.rows(
            """
            select i.indexrelid::regclass::text as name,
                   regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE (UNIQUE )?INDEX \\w+ ON (ONLY )?', '\\1') as definition
              from pg_index i
              join pg_class c on c.oid = i.indrelid
             where c.relnamespace = 'queen'::regnamespace
               and c.relname in ('log_partitions', 'log_segments', 'log_txns', 'log_consumers', 'retention_history',
                                 'retention_history_minutes')
            """)
        .forEach(r -> indexes.put((String) r.get("name"), (String) r.get("definition")));
    assertThat(indexes)
        .containsOnly(
            Map.entry("queen.log_partitions_pkey", "UNIQUE queen.log_partitions USING btree (id)"),
            Map.entry(
                "queen.log_partitions_queue_id_name_key",
                "UNIQUE queen.log_partitions USING btree (queue_id, name)"),
            Map.entry(
                "queen.log_partitions_queue_last_write",
                "queen.log_partitions USING btree (queue_id, last_write_at)"),
            Map.entry(
                "queen.log_partitions_due_live",
                "queen.log_partitions USING btree (queue_id, oldest_live_at, id) WHERE"
                    + " (oldest_live_at IS NOT NULL)"),
            Map.entry(
                "queen.log_partitions_due_txns",
                "queen.log_partitions USING btree (queue_id, oldest_txn_at, id) WHERE"
                    + " (oldest_txn_at IS NOT NULL)"),
            Map.entry(
                "queen.log_partitions_silent",
                "queen.log_partitions USING btree (last_write_at, id) WHERE (oldest_live_at IS NULL)"),
            Map.entry(
                "queen.log_segments_pkey",
                "UNIQUE queen.log_segments USING btree (partition_id, base_offset)"),
            Map.entry(
                "queen.log_txns_pkey",
                "UNIQUE queen.log_txns USING btree (partition_id, base_offset)"),
            Map.entry(
                "queen.log_consumers_pkey",
                "UNIQUE queen.log_consumers USING btree (partition_id, consumer_group)"),
            Map.entry(
                "queen.retention_history_pkey", "UNIQUE queen.retention_history USING btree (id)"),
            Map.entry(
                "queen.retention_history_executed",
                "queen.retention_history USING btree (executed_at DESC)"),
            Map.entry(
                "queen.retention_history_steps",
                "queen.retention_history USING btree (executed_at)"
                    + " WHERE (retention_type !~~ like_escape('!_!_%!_!_'::text, '!'::text))"),
            Map.entry(
                "queen.retention_history_minutes_pkey",
                "UNIQUE queen.retention_history_minutes USING btree (id)"),
            Map.entry(
                "queen.retention_history_minutes_key",
                "UNIQUE queen.retention_history_minutes USING btree"
                    + " (minute, queue_id, retention_type) NULLS NOT DISTINCT"));
  }

  @Test
  void foreignKeysAreThoseThatMayCascadeAndNoOther() {
    assertThat(
            sql.rows(
                """
                select conrelid::regclass || ' -> ' || confrelid::regclass || ' ' || confdeltype::text as fk
                  from pg_constraint
                 where contype = 'f' and connamespace in ('queen'::regnamespace, 'queen_streams'::regnamespace)
                """))
        .extracting(r -> r.get("fk"))
        .containsExactlyInAnyOrder(
            "queen.log_partitions -> queen.queues c",
            "queen.log_segments -> queen.log_partitions c",
            "queen.log_consumers -> queen.log_partitions c",
            "queen.consumer_groups_metadata -> queen.queues c",
            "queen.consumer_watermarks -> queen.queues c",
            "queen.queue_lag_metrics -> queen.queues c",
            "queen.table_positions -> queen.table_policies c",
            "queen.table_runs -> queen.table_policies c");
  }

  @Test
  void aQueuesWindowsCannotBeNegativeAndTheDefaultsAreOff() {
    assertThat(
            sql.rows(
                """
                select a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' '
                       || coalesce(pg_get_expr(d.adbin, d.adrelid), '-') as c
                  from pg_attribute a
                  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                 where a.attrelid = 'queen.queues'::regclass and a.attnum > 0
                """))
        .extracting(r -> r.get("c"))
        .containsExactlyInAnyOrder(
            "id uuid true gen_random_uuid()",
            "name text true -",
            "namespace text false -",
            "task text false -",
            "retention_enabled boolean true false",
            "retention_seconds integer true 0",
            "completed_retention_seconds integer true 0",
            "max_wait_time_seconds integer true 0",
            "dedup_window_seconds integer true 3600",
            "lease_time integer true 300",
            "retry_limit integer true 3",
            "created_at timestamp with time zone true now()");
    assertThat(
            sql.number(
                "select count(*) from pg_constraint where conrelid = 'queen.queues'::regclass and"
                    + " contype = 'c' and pg_get_constraintdef(oid) ~ '>= 0'"))
        .isEqualTo(6);
  }

  @Test
  void aFunctionThatPinsScansSwitchesTheCompilerOff() {
    // The cost of a disabled scan that has to be used all the same is above every threshold of JIT.
    assertThat(
            sql.rows(
                """
                select p.proname
                  from pg_proc p
                 where p.pronamespace = 'queen'::regnamespace
                   and exists (select 1 from unnest(p.proconfig) c where c like 'enable_%')
                   and not 'jit=off' = any (p.proconfig)
                """))
        .isEmpty();
  }

  @Test
  void everyMomentIsATimestamptz() {
    assertThat(
            sql.rows(
                """
                select c.oid::regclass || '.' || a.attname as name
                  from pg_attribute a join pg_class c on c.oid = a.attrelid
                 where c.relnamespace in ('queen'::regnamespace, 'queen_streams'::regnamespace) and c.relkind = 'r'
                   and a.atttypid in ('timestamp'::regtype, 'date'::regtype, 'time'::regtype, 'timetz'::regtype)
                   and c.relname <> 'tidemark_schema_history'
                """))
        .isEmpty();
  }

  private static List<String> options(String query, String table) {
    return sql.rows(query, table).stream().map(r -> (String) r.get("o")).toList();
  }
}
