package dev.tidemark.retention.it.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.schema.Migrations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CliIT {
  @TempDir private Path directory;
  private TestDatabase database;
  private Sql sql;
  private Cli cli;

  @BeforeEach
  void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    cli = new Cli("--jdbc-url", database.url());
  }

  @AfterEach
  void close() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "once --nonsense",
        "configure",
        "import",
        "import nowhere.json --queue q --partition-field p --time-field t",
        "group",
        "group commit q g",
        "group commit q g 1 --fraction 0.5",
        "group commit q g -2",
        "group commit q g --fraction 1.5",
        "group commit q g --fraction x",
        "configure q retentionSeconds",
        "configure q =1",
        "configure q a=1 a=2",
        "configure q a=[1]",
        "configure q retentionSeconds=1e999999999",
        "configure q nonsense=1",
        "configure q retentionSeconds=abc",
        "configure q retentionSeconds=-1",
        "configure q retentionEnabled=1",
        "once --retention-batch-size 0",
        "plan --limit -1",
        "plan --limit x",
        "plan --partition-cleanup-days x",
        "plan q r",
        "pause nonsense",
        "resume nonsense",
        "demo"
      })
  void badUsageIsExitCodeTwoAndSaysWhatIsWrong(String arguments) {
    Cli.Run run = cli.run(arguments.isEmpty() ? new String[0] : arguments.split(" ", -1));

    assertThat(run.code()).as(run.err()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("retention").hasLineCount(run.err().contains("Try '") ? 2 : 1);
    assertThat(sql.number("select count(*) from queen.queues")).isZero();
  }

  @Test
  void aDatabaseHasToBeNamedAndOnlyOne() {
    assertThat(new Cli().run("status").code()).isEqualTo(System.getenv("PGHOST") == null ? 2 : 0);
    assertThat(cli.run("status", "--embedded", directory.toString()).err())
        .contains("--embedded and --jdbc-url");
    assertThat(new Cli("--jdbc-url", "mysql://x").run("status").code()).isEqualTo(2);
  }

  @Test
  void anUnreachableServerIsOneLineAndExitCodeOne() {
    Cli.Run run = new Cli("--jdbc-url", "jdbc:postgresql://127.0.0.1:1/none").run("status");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .contains("cannot connect to jdbc:postgresql://127.0.0.1:1/none")
        .hasLineCount(1);
  }

  @Test
  void anUndeployedSchemaIsRefusedNamingMigrateAndMigrateDeploysIt() {
    try (TestDatabase empty = TestDatabase.empty()) {
      Cli fresh = new Cli("--jdbc-url", empty.url());

      Cli.Run refused = fresh.run("once");
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err()).contains("retention migrate").hasLineCount(1);

      JsonNode migrated = fresh.json("migrate");
      assertThat(migrated.get("schema").asText()).isEqualTo("queen");
      assertThat(migrated.get("applied")).isNotEmpty();
      assertThat(fresh.json("migrate").get("applied")).isEmpty();
      assertThat(fresh.run("once").code()).isZero();
    }
  }

  @Test
  void aMissingMigrationIsNamed() {
    sql.run("delete from queen.tidemark_schema_history where version = '0003'");

    assertThat(cli.run("status").err()).contains("V0003__neighbours.sql");
  }

  @Test
  void commonOptionsStandBeforeOrAfterTheCommand() {
    assertThat(
            new Cli()
                .run("--json", "status", "--jdbc-url", database.url())
                .document()
                .get("queues"))
        .isEmpty();
    assertThat(
            new Cli()
                .run("--jdbc-url", database.url(), "status", "--json")
                .document()
                .get("queues"))
        .isEmpty();
  }

  @Test
  void aBusyLockIsExitCodeFourWhoeverHoldsIt() {
    sql.run("select pg_advisory_lock(737001)");
    assertThat(cli.run("once").code()).isEqualTo(4);
    assertThat(cli.run("once", "--json").document().get("outcome").asText()).isEqualTo("busy");

    sql.run("select pg_advisory_unlock(737001)");
    assertThat(cli.run("once").code()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "namespace=eu|namespace|eu", "task=\"17\"|task|17",
            "retentionEnabled=true|retentionEnabled|true",
        "retentionSeconds=60|retentionSeconds|60", "retentionSeconds=6e1|retentionSeconds|60",
            "leaseTime=1|leaseTime|1",
        "maxWaitTimeSeconds=2147483647|maxWaitTimeSeconds|2147483647"
      })
  void anOptionIsAJsonScalarAndNullRestoresTheDefault(String option, String key, String value) {
    JsonNode before = cli.json("configure", "q").get("options").get(key);

    assertThat(cli.json("configure", "q", option).get("options").get(key).asText())
        .isEqualTo(value);
    assertThat(cli.json("configure", "q").get("options").get(key).asText())
        .as("kept")
        .isEqualTo(value);
    assertThat(cli.json("configure", "q", key + "=null").get("options").get(key)).isEqualTo(before);
  }

  @Test
  void aBadRowRefusesTheWholeImportWithItsLineAndSkipBadImportsTheRest() throws IOException {
    Path file = directory.resolve("events.ndjson");
    Files.writeString(
        file,
        """
        {"p":"a","t":"2026-01-01T00:00:00Z","n":1}
        {"p":"a","t":"yesterday","n":2}
        {"t":"2026-01-01T00:00:00Z","n":3}
        {"p":"b","t":"2026-01-01T00:00:01Z","n":4}
        """);
    String[] command = {
      "import", file.toString(), "--queue", "q", "--partition-field", "p", "--time-field", "t"
    };

    Cli.Run refused = cli.run(command);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err())
        .contains("line 2")
        .contains("line 3")
        .contains("2 of 4 rows are bad, nothing was imported");
    assertThat(sql.number("select count(*) from queen.queues")).isZero();
    assertThat(sql.number("select count(*) from queen.log_segments")).isZero();

    List<String> skipping = new java.util.ArrayList<>(List.of(command));
    skipping.add("--skip-bad");
    JsonNode imported = cli.json(skipping.toArray(String[]::new));
    assertThat(imported.get("messages").asLong()).isEqualTo(2);
    assertThat(imported.get("skipped").asLong()).isEqualTo(2);
    assertThat(cli.json("export", "q").toString())
        .isEqualTo(
            "[{\"p\":\"a\",\"t\":\"2026-01-01T00:00:00Z\",\"n\":1},{\"p\":\"b\",\"t\":\"2026-01-01T00:00:01Z\",\"n\":4}]");
  }

  @Test
  void aSecondImportThatWouldGoBackInTimeLeavesNothingBehind() throws IOException {
    Path newer = Files.writeString(directory.resolve("newer.csv"), "p,t\na,2026-02-01T00:00:00Z\n");
    Path older =
        Files.writeString(
            directory.resolve("older.csv"),
            "p,t\nb,2026-01-01T00:00:00Z\na,2026-01-01T00:00:00Z\n");
    String[] options = {"--queue", "q", "--partition-field", "p", "--time-field", "t"};
    cli.json(concat(new String[] {"import", newer.toString()}, options));

    Cli.Run run = cli.run(concat(new String[] {"import", older.toString()}, options));

    assertThat(run.code()).isNotZero();
    assertThat(run.err()).contains("must not go back before");
    assertThat(sql.number("select count(*) from queen.log_partitions")).isEqualTo(1);
  }

  @Test
  void eventsFromTheFutureAreRefusedUnlessTheyAreShifted() throws IOException {
    Path file = Files.writeString(directory.resolve("future.csv"), "p,t\na,2999-01-01T00:00:00Z\n");
    String[] command = {
      "import", file.toString(), "--queue", "q", "--partition-field", "p", "--time-field", "t"
    };

    assertThat(cli.run(command).err()).contains("in the future").contains("--shift-to-now");
    assertThat(cli.run(concat(command, new String[] {"--shift-to-now"})).code()).isZero();
  }

  @Test
  void statusSaysLoudlyWhatKeepsDataForEver() {
    TestLog log = new TestLog(sql);
    log.append(log.partition("forever", "p"), log.ago(Duration.ofHours(1)), 3);
    log.append(log.partition("disabled", "p"), log.ago(Duration.ofHours(1)), 3);
    log.append(log.partition("unread", "p"), log.ago(Duration.ofHours(1)), 3);
    log.append(log.partition("fine", "p"), log.ago(Duration.ofHours(1)), 3);
    cli.json("configure", "disabled", "retentionSeconds=60");
    cli.json("configure", "unread", "retentionEnabled=true", "completedRetentionSeconds=60");
    cli.json("configure", "fine", "retentionEnabled=true", "retentionSeconds=60");

    String text = cli.run("status").out();

    assertThat(text)
        .contains("WARNING queue forever keeps data for ever: no window is set")
        .contains(
            "WARNING queue disabled keeps data for ever: its windows do nothing while retentionEnabled is false")
        .contains("WARNING queue unread keeps 1 partitions for ever")
        .contains("no cycle has run yet")
        .doesNotContain("WARNING queue fine");
    cli.run("once");
    assertThat(cli.run("status").out()).contains("last cycle ended");
    assertThat(sql.number("select runs from queen.maintenance_leases where task = 'retention'"))
        .isZero();
  }

  @Test
  void groupCommitTakesTheLastOffsetDoneAndStopsAtTheEndOfAShortPartition() {
    TestLog log = new TestLog(sql);
    UUID three = log.partition("q", "three");
    UUID ten = log.partition("q", "ten");
    log.append(three, log.ago(Duration.ofHours(1)), 3);
    log.append(ten, log.ago(Duration.ofHours(1)), 10);

    cli.json("group", "commit", "q", "g", "6");
    assertThat(committed(three)).isEqualTo(2);
    assertThat(committed(ten)).isEqualTo(6);

    cli.json("group", "commit", "q", "g", "--fraction", "0.5", "--partition", "ten");
    assertThat(committed(ten)).isEqualTo(4);
    assertThat(cli.json("group", "delete", "q", "g").get("cursors").asInt()).isEqualTo(2);
    assertThat(cli.run("group", "delete", "nobody", "g").code()).isEqualTo(1);
  }

  @Test
  void aFailingPartitionMakesOnceExitWithOneAndTheOthersAreServed() {
    TestLog log = new TestLog(sql);
    UUID poisoned = log.partition("q", "poisoned");
    log.append(poisoned, log.ago(Duration.ofHours(1)), 1);
    log.append(log.partition("q", "sound"), log.ago(Duration.ofHours(1)), 1);
    cli.json("configure", "q", "retentionEnabled=true", "retentionSeconds=60");
    sql.run(
        "create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;"
            + " create trigger refuse before delete on queen.log_segments for each row when (old.partition_id = '"
            + poisoned
            + "') execute function public.refuse()");

    Cli.Run run = cli.run("once", "--json");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.document().get("failed").asLong()).isEqualTo(1);
    assertThat(run.document().get("segments_deleted").asLong()).isEqualTo(1);
  }

  @Test
  void aFailureWithJsonIsOneDocumentToo() {
    JsonNode refused = cli.run("configure", "q", "nonsense=1", "--json").document();
    assertThat(refused.get("outcome").asText()).isEqualTo("failed");
    assertThat(refused.get("exitCode").asInt()).isEqualTo(2);
    assertThat(refused.get("error").asText()).contains("option nonsense");

    assertThat(cli.run("export", "nowhere", "--json").document().get("exitCode").asInt())
        .isEqualTo(1);
    assertThat(cli.run("once", "--nonsense", "--json").document().get("exitCode").asInt())
        .isEqualTo(2);
    assertThat(cli.run("--json").document().get("exitCode").asInt()).isEqualTo(2);
  }

  @Test
  void exportOfAPartitionThatDoesNotExistFailsAndOfAnEmptyQueuePrintsNothing() {
    cli.json("configure", "q");
    assertThat(cli.run("export", "q").out()).isEmpty();
    assertThat(cli.json("export", "q")).isEmpty();

    Cli.Run run = cli.run("export", "q", "--partition", "p");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("queue q has no partition p").hasLineCount(1);
  }

  @Test
  void aNameWithANewlineDoesNotTearTheOutputApart() {
    cli.json("configure", "two\nlines");
    assertThat(cli.run("status").out()).doesNotContain("two\nlines").contains("two\uFFFDlines");
    assertThat(cli.json("status").get("queues").get(0).get("queue").asText())
        .isEqualTo("two\nlines");
  }

  @Test
  void aLoginWithoutTheRoleIsToldWhichOneItNeeds() {
    String user = "nobody_" + UUID.randomUUID().toString().replace('-', '_');
    sql.run("create role " + user + " login password 'x' in role queen_reader");
    try {
      Cli reader = new Cli("--jdbc-url", database.urlAs(user, "x"));
      assertThat(reader.run("status").code()).isZero();

      Cli.Run run = reader.run("once");
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err())
          .contains("permission denied")
          .contains("queen_retention for once")
          .hasLineCount(1);
    } finally {
      sql.run("drop role " + user);
    }
  }

  @Test
  void aDatabaseThatStopsInTheMiddleLeavesWhatWasDeletedAndSaysSo() {
    TestLog log = new TestLog(sql);
    UUID first = log.partition("q", "first");
    UUID second = log.partition("r", "second");
    log.append(first, log.ago(Duration.ofHours(2)), 1);
    log.append(second, log.ago(Duration.ofHours(1)), 1);
    // A call each: of the one that fails nothing is known.
    cli.json("configure", "q", "retentionEnabled=true", "retentionSeconds=60");
    cli.json("configure", "r", "retentionEnabled=true", "retentionSeconds=60");
    sql.run(
        "create function public.die() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid());"
            + " return old; end $$; create trigger die before delete on queen.log_segments for each row when (old.partition_id = '"
            + second
            + "') execute function public.die()");

    Cli.Run run = cli.run("once");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .contains("1 segments and 0 sidecar rows are deleted and stay deleted")
        .hasLineCount(1);
    assertThat(log.segments(first)).isEmpty();
    assertThat(log.segments(second)).hasSize(1);
  }

  @Test
  void versionNamesTheBuildAndTheSchema() {
    int newest = Migrations.VERSIONED.size() - 1;
    assertThat(new Cli().run("--version").out())
        .contains("retention ", "schema " + Migrations.VERSIONED.get(newest).version());
  }

  private long committed(UUID partition) {
    return sql.number(
        "select committed from queen.log_consumers where partition_id = ? and consumer_group = 'g'",
        partition);
  }

  private static String[] concat(String[] first, String[] second) {
    String[] all = java.util.Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, all, first.length, second.length);
    return all;
  }
}
