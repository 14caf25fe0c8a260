package dev.tidemark.retention.it.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The suite as a broker runs it: against a database that is there. */
class SuiteCommandIT {
  private static final String ONE_LAW = "StepLaws.historyCountsWhatWent";
  private static final Pattern JQWIK_SEED = Pattern.compile("seed = (-?\\d+)");

  @TempDir private Path reports;

  private String depth;
  private String seed;

  /** The command sets both for its JVM, which here is ours. */
  @BeforeEach
  void remember() {
    depth = System.getProperty(Depth.PROPERTY, "short");
    seed = System.getProperty(Seed.PROPERTY, "");
  }

  @AfterEach
  void restore() {
    System.setProperty(Depth.PROPERTY, depth);
    System.setProperty(Seed.PROPERTY, seed);
  }

  @Test
  void aLawThatHoldsIsReportedAndTheDatabaseIsAsItWas() {
    try (TestDatabase database = TestDatabase.migrated()) {
      in(database, sql -> sql.rows("select queen.configure_queue_v1('orders', '{}')"));
      in(database, sql -> sql.run("alter table queen.log_partitions enable row level security"));

      Run run = run("--url", database.url(), "--law", ONE_LAW, "--seed", "42");

      assertThat(run.exitCode).as(run.toString()).isZero();
      assertThat(run.out).contains("seed 42, depth short", "holds", ONE_LAW, "held: 1, broken: 0");
      assertThat(report("TEST-jqwik.xml"))
          .contains("historyCountsWhatWent")
          .doesNotContain("<failure", database.url());
      in(
          database,
          sql -> {
            assertThat(sql.column("select name from queen.queues")).containsExactly("orders");
            assertThat(
                    sql.<Boolean>value(
                        "select relrowsecurity from pg_class where oid = 'queen.log_partitions'::regclass"))
                .isTrue();
            assertThat(copies(sql)).isEmpty();
          });
    }
  }

  @Test
  void aBrokenLawFailsAndItsSeedFindsTheSameHistories() {
    try (TestDatabase database = TestDatabase.migrated()) {
      in(
          database,
          sql ->
              sql.run(
                  "create rule forget as on insert to queen.retention_history do instead nothing"));

      Run first = run("--url", database.url(), "--law", ONE_LAW, "--seed", "42");
      String report = report("TEST-jqwik.xml");
      Run again = run("--url", database.url(), "--law", ONE_LAW, "--seed", "42");

      assertThat(first.exitCode).as(first.toString()).isEqualTo(1);
      assertThat(first.out)
          .contains(
              "BROKEN",
              "held: 0, broken: 1",
              "repeat with --seed 42 --depth short --law " + ONE_LAW);
      assertThat(report).contains("<failure");
      assertThat(again.exitCode).isEqualTo(1);
      assertThat(jqwikSeed(report("TEST-jqwik.xml"))).isEqualTo(jqwikSeed(report));
    }
  }

  @Test
  void whatAKilledRunHasLeftGoesWithTheNextOne() {
    try (TestDatabase database = TestDatabase.migrated()) {
      in(database, sql -> sql.run("create database tidemark_suite_1"));
      try (SuiteDatabase running = SuiteDatabase.copyOf(database.url())) {
        assertThat(running.url()).contains("tidemark_suite_");
        // Another one at the same time: it leaves the first one's copy alone.
        Run run = run("--url", database.url(), "--law", ONE_LAW);
        assertThat(run.exitCode).as(run.toString()).isZero();
        in(database, sql -> assertThat(copies(sql)).hasSize(1).doesNotContain("tidemark_suite_1"));
      }
      in(database, sql -> assertThat(copies(sql)).isEmpty());
    }
  }

  @Test
  void aDatabaseThatSomebodyIsConnectedToCannotBeCopied() {
    try (TestDatabase database = TestDatabase.migrated();
        Sql somebody = Sql.connect(database.url())) {
      assertThat(somebody.backend()).isPositive();
      Run run = run("--url", database.url());
      assertThat(run.exitCode).isEqualTo(1);
      assertThat(run.err.lines())
          .singleElement()
          .asString()
          .contains("is being accessed by other users");
    }
  }

  @ParameterizedTest
  @CsvSource({"default_transaction_isolation, serializable", "default_transaction_read_only, on"})
  void aSettingThatTheLawsCannotWorkUnderIsNamed(String setting, String value) {
    try (TestDatabase database = TestDatabase.migrated()) {
      in(
          database,
          sql ->
              sql.run(
                  sql.<String>value(
                      "select format('alter database %I set %I = %L', current_database(), ?::text, ?::text)",
                      setting, value)));
      Run run = run("--url", database.url());
      assertThat(run.exitCode).isEqualTo(1);
      assertThat(run.err.lines()).singleElement().asString().contains(setting + " is " + value);
    }
  }

  @Test
  void aDatabaseWithoutTheSchemaIsRefused() {
    try (TestDatabase database = TestDatabase.empty()) {
      Run run = run("--url", database.url());
      assertThat(run.exitCode).isEqualTo(1);
      assertThat(run.err).contains("schema queen is not deployed");
    }
  }

  @Test
  void aRoleThatIsNoSuperuserIsRefused() {
    try (TestDatabase database = TestDatabase.migrated();
        Sql sql = Sql.connect(database.url())) {
      sql.run("create role suite_guest login password 'guest'");
      try {
        Run run = run("--url", database.urlAs("suite_guest", "guest"));
        assertThat(run.exitCode).isEqualTo(1);
        assertThat(run.err).contains("suite_guest is no superuser");
      } finally {
        sql.run("drop role suite_guest");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--url|mysql://localhost|--url: must be jdbc:postgresql://HOST:PORT/DATABASE?user=U, not 'mysql://localhost'",
        "--url|jdbc:mysql://h/b?user=u&password=secret|not 'jdbc:mysql://h/b?user=u&password=***'",
        "--law|Murphys|--law: 'Murphys' is no law",
        "--law|StepLaws.nothing|--law: 'StepLaws.nothing' is no law",
        "--depth|deep|'--depth': expected one of",
        "--seed|x|'--seed'",
        "--depth|long|--url: say which database"
      })
  void badUsageIsOneLineAndItsOwnExitCode(String option, String value, String says) {
    Run run = run(option, value);
    assertThat(run.exitCode).isEqualTo(2);
    assertThat(run.err.lines().findFirst().orElse("")).contains(says);
  }

  /** The artifact, in a JVM of its own. */
  @Test
  void theJarRunsByItself() throws IOException, InterruptedException {
    try (TestDatabase database = TestDatabase.migrated()) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-jar",
                  jar().toString(),
                  "--url",
                  database.url(),
                  "--law",
                  "LeaseLaws",
                  "--law",
                  "PolicyLaws",
                  "--law",
                  "HistoryLaws.aWalkMendsWatermarksThatAreWrong",
                  "--reports",
                  reports.toString())
              .redirectErrorStream(true)
              .redirectOutput(reports.resolve("out").toFile())
              .start();
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
      String out = Files.readString(reports.resolve("out"));
      assertThat(process.exitValue()).as(out).isZero();
      assertThat(out.lines()).allMatch(line -> line.matches("(seed|holds|held:).*"));
      assertThat(report("TEST-junit-jupiter.xml")).contains("LeaseLaws");
    }
  }

  private static List<Object> copies(Sql sql) {
    return sql.column(
        "select datname::text from pg_database where datname like 'tidemark\\_suite\\_%' order by 1");
  }

  /** On a session that is gone afterwards: who is connected keeps the suite from its copy. */
  private static void in(TestDatabase database, Consumer<Sql> work) {
    try (Sql sql = Sql.connect(database.url())) {
      work.accept(sql);
    }
  }

  private static Path jar() throws IOException {
    Path target = Path.of(System.getProperty("tidemark.root"), "retention-it", "target");
    try (Stream<Path> files = Files.list(target)) {
      List<Path> jars = files.filter(file -> file.toString().endsWith("-suite.jar")).toList();
      assertThat(jars).as("made by the package phase, in %s", target).hasSize(1);
      return jars.get(0);
    }
  }

  private String report(String name) {
    try {
      return Files.readString(reports.resolve(name));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String jqwikSeed(String report) {
    Matcher matcher = JQWIK_SEED.matcher(report);
    assertThat(matcher.find()).as(report).isTrue();
    return matcher.group(1);
  }

  @Test
  void reportsGoWhereTheyCanBeWritten() throws IOException {
    Path file = Files.createFile(reports.resolve("file"));
    StringWriter err = new StringWriter();
    int exitCode =
        SuiteCommand.commandLine()
            .setErr(new PrintWriter(err))
            .execute("--url", "jdbc:postgresql://localhost/none", "--reports", file.toString());
    assertThat(exitCode).isEqualTo(2);
    assertThat(err.toString()).contains("--reports: cannot write to '" + file + "'");
  }

  private Run run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line =
        SuiteCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] all =
        Stream.concat(Stream.of(arguments), Stream.of("--reports", reports.toString()))
            .toArray(String[]::new);
    return new Run(line.execute(all), out.toString(), err.toString());
  }

  private record Run(int exitCode, String out, String err) {}
}
