package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.runner.SchemaCheck;
import dev.tidemark.retention.runner.SchemaMismatchException;
import dev.tidemark.retention.schema.Migrations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.output.MigrateResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Deployment: by Flyway with the documented settings, by hand without it, and the check at start.
 */
class MigrationIT {
  private static final String VERSIONED = "tidemark/migration/versioned";
  private static final String FUNCTIONS = "tidemark/migration/functions";

  private TestDatabase database;
  private Sql sql;

  private void use(TestDatabase chosen) {
    database = chosen;
    sql = chosen.connect();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void oneDeploymentAppliesEverythingAndTheNextNothing() {
    use(TestDatabase.empty());
    MigrateResult first = migrate();
    assertThat(first.success).isTrue();
    assertThat(first.warnings).isEmpty();
    assertThat(first.migrationsExecuted)
        .isEqualTo(Migrations.VERSIONED.size() + files(FUNCTIONS).size());
    assertThat(first.targetSchemaVersion)
        .isEqualTo(Migrations.VERSIONED.get(Migrations.VERSIONED.size() - 1).version());
    assertThat(first.migrations).extracting(m -> m.version).startsWith("0001", "0002", "0003");

    MigrateResult second = migrate();
    assertThat(second.migrationsExecuted).isZero();
    assertThat(second.success).isTrue();
    works();
  }

  @Test
  void nothingIsCreatedOutsideTheTwoSchemas() {
    use(TestDatabase.migrated());
    assertThat(
            sql.rows(
                """
                select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast', 'queen', 'queen_streams')
                union all
                select n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                 where n.nspname not in ('pg_catalog', 'information_schema', 'queen', 'queen_streams')
                """))
        .isEmpty();
  }

  @Test
  void theFilesRunByHandInOrderMakeTheSameSchemaAndTheFunctionsCanBeRunAgain() {
    use(TestDatabase.empty());
    sql.run("create schema queen");
    files(VERSIONED).forEach(this::run);
    files(FUNCTIONS).forEach(this::run);
    works();
    List<Map<String, Object>> handmade = definition(sql);
    try (TestDatabase flyway = TestDatabase.migrated()) {
      assertThat(handmade).hasSizeGreaterThan(150).isEqualTo(definition(flyway.connect()));
    }
    files(FUNCTIONS).forEach(this::run);
    assertThat(definition(sql)).isEqualTo(handmade);
  }

  @Test
  void aChangedFunctionFileIsAppliedOnTopOfTheDeployedOne() {
    use(TestDatabase.migrated());
    List<Map<String, Object>> before = definition(sql);
    sql.run("update queen.tidemark_schema_history set checksum = 0 where version is null");
    assertThat(migrate().migrationsExecuted).isEqualTo(files(FUNCTIONS).size());
    assertThat(definition(sql)).isEqualTo(before);
  }

  @Test
  void aFunctionWithoutAContractIsNotDeployed() {
    use(TestDatabase.migrated());
    sql.run("create function public.bare() returns int language sql as 'select 1'");
    refused("22023", () -> sql.run("call queen.publish_contract_v1('public.bare')"), "bare");
    sql.run(
        "create or replace function public.bare() returns int language sql as"
            + " E'\n-- bare() -> 1\n--\n-- Locks  None.\nselect 1 -- one'");
    sql.run("call queen.publish_contract_v1('public.bare')");
    assertThat(sql.<String>value("select obj_description('public.bare'::regproc, 'pg_proc')"))
        .isEqualTo("bare() -> 1\n\nLocks  None.");
  }

  @Test
  void aDeployerWithoutTheRightToCreateRolesUsesTheExistingOnes() {
    use(TestDatabase.empty());
    String deployer = "tidemark_deployer_" + UUID.randomUUID().toString().replace('-', '_');
    sql.run("create role " + deployer + " nosuperuser nocreaterole");
    try {
      String name = sql.value("select quote_ident(current_database())");
      sql.run("grant create, connect on database " + name + " to " + deployer);
      // The server holds the roles already: every test database is a copy of a migrated one.
      TestDatabase.migrated().close();
      String separator = database.url().contains("?") ? "&" : "?";
      migrate(database.url() + separator + "options=-c%20role=" + deployer);
      assertThat(
              sql.<String>value(
                  "select nspowner::regrole::text from pg_namespace where nspname = 'queen'"))
          .isEqualTo(deployer);
      works();
    } finally {
      sql.run("drop owned by " + deployer + " cascade");
      sql.run("drop role " + deployer);
    }
  }

  @Test
  void theDeployedSchemaPassesTheCheckAtStart() {
    use(TestDatabase.migrated());
    assertThatCode(() -> SchemaCheck.requireKnown(database.pool())).doesNotThrowAnyException();
  }

  @Test
  void theCheckSaysThatNothingIsDeployed() {
    use(TestDatabase.empty());
    assertThatThrownBy(() -> SchemaCheck.requireKnown(database.pool()))
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("schema queen is not deployed")
        .hasMessageContaining("retention migrate")
        .hasMessageNotContaining("\n");
  }

  @Test
  void theCheckNamesTheMissingMigration() {
    use(TestDatabase.migrated());
    sql.run("delete from queen.tidemark_schema_history where version = '0005'");
    assertThatThrownBy(() -> SchemaCheck.requireKnown(database.pool()))
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("V0005__grants.sql");
  }

  @Test
  void aFailedMigrationCountsAsMissing() {
    use(TestDatabase.migrated());
    sql.run("update queen.tidemark_schema_history set success = false where version = '0004'");
    assertThatThrownBy(() -> SchemaCheck.requireKnown(database.pool()))
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("V0004__maintenance.sql");
  }

  @Test
  void theCheckRefusesASchemaOfALaterRelease() {
    use(TestDatabase.migrated());
    sql.run(
        "insert into queen.tidemark_schema_history (installed_rank, version, description, type,"
            + " script, installed_by, execution_time, success) values (9999, '9999', 'later',"
            + " 'SQL', 'V9999__later.sql', 'x', 0, true)");
    assertThatThrownBy(() -> SchemaCheck.requireKnown(database.pool()))
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("does not know")
        .hasMessageContaining("9999");
  }

  private MigrateResult migrate() {
    return migrate(database.url());
  }

  private static MigrateResult migrate(String url) {
    return Flyway.configure()
        .dataSource(url, null, null)
        .defaultSchema(Migrations.SCHEMA)
        .table(Migrations.HISTORY_TABLE)
        .locations(Migrations.LOCATIONS.toArray(String[]::new))
        .placeholderReplacement(false)
        .load()
        .migrate();
  }

  /**
   * Sends a file as it is, as psql -f would: the driver's own splitter does not know BEGIN ATOMIC.
   */
  private void run(String script) {
    Properties simple = new Properties();
    simple.setProperty("preferQueryMode", "simple");
    try (Connection connection = DriverManager.getConnection(database.url(), simple);
        Statement statement = connection.createStatement()) {
      statement.execute(script);
    } catch (SQLException e) {
      throw new AssertionError(e.getMessage() + " in " + script, e);
    }
  }

  private void works() {
    TestLog log = new TestLog(sql);
    UUID partition = log.partition("q", "p");
    log.append(partition, log.ago(Duration.ofHours(1)), 2);
    log.append(partition, log.ago(Duration.ofMinutes(1)), 2);
    assertThat(
            log.retentionStep(partition, log.ago(Duration.ofMinutes(2)), null, 10)
                .get("messages")
                .asInt())
        .isEqualTo(2);
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  /** Every object with what defines it, the grants included; Flyway's own table left out. */
  private static List<Map<String, Object>> definition(Sql sql) {
    return sql.rows(
        """
        with object as (
            select 'routine ' || p.oid::regprocedure as name,
                   pg_get_functiondef(p.oid) || coalesce(obj_description(p.oid, 'pg_proc'), '') as text, p.proacl as acl
              from pg_proc p where p.pronamespace::regnamespace::text like 'queen%'
            union all
            select 'relation ' || c.oid::regclass,
                   c.relkind::text || coalesce(c.reloptions::text, '') || coalesce(obj_description(c.oid, 'pg_class'), ''), c.relacl
              from pg_class c where c.relnamespace::regnamespace::text like 'queen%' and c.oid::regclass::text !~ 'schema_history'
            union all
            select 'column ' || a.attrelid::regclass || '.' || a.attname,
                   format_type(a.atttypid, a.atttypmod) || a.attnotnull::text || a.attidentity::text || a.attstorage::text
                   || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || coalesce(col_description(a.attrelid, a.attnum), ''), a.attacl
              from pg_attribute a
              join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
              left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
             where c.relnamespace::regnamespace::text like 'queen%' and a.attnum > 0 and c.relname !~ 'schema_history'
            union all
            select 'constraint ' || k.conrelid::regclass || '.' || k.conname, pg_get_constraintdef(k.oid), null
              from pg_constraint k where k.connamespace::regnamespace::text like 'queen%' and k.conrelid::regclass::text !~ 'schema_history'
            union all
            select 'index ' || i.indexrelid::regclass, pg_get_indexdef(i.indexrelid), null
              from pg_index i join pg_class c on c.oid = i.indrelid
             where c.relnamespace::regnamespace::text like 'queen%' and c.relname !~ 'schema_history')
        select o.name, o.text,
               (select string_agg(a.grantee::regrole || ' ' || a.privilege_type, ', ' order by a.grantee::regrole::text, a.privilege_type)
                  from aclexplode(o.acl) a) as grants
          from object o order by o.name collate "C"
        """);
  }

  /** The scripts of one location, in the order of their names. */
  private static List<String> files(String location) {
    try {
      var uri = Migrations.class.getClassLoader().getResource(location).toURI();
      if (uri.getScheme().equals("jar")) {
        try (FileSystem jar = FileSystems.newFileSystem(uri, Map.of())) {
          return read(jar.getPath("/" + location));
        }
      }
      return read(Path.of(uri));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> read(Path directory) throws IOException {
    List<String> scripts = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        scripts.add(Files.readString(file));
      }
    }
    return scripts;
  }
}
