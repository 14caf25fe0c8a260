package dev.tidemark.retention.it.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the tests of the SQL functions on a PostgreSQL 15 with plpgsql_check, and tells what they
 * did not reach.
 */
class SqlCoverageIT {
  private static final String CHECKED = System.getenv("TIDEMARK_CHECKED_DATABASE");

  private static TestDatabase database;
  private static Sql sql;
  private static Profile profile;
  private static TestExecutionSummary tests;
  private static CoverageTable coverage;

  @BeforeAll
  static void run() {
    assumeTrue(
        CHECKED != null && CHECKED.equals(System.getProperty("tidemark.database")),
        "the SQL is not checked: TIDEMARK_CHECKED_DATABASE names no PostgreSQL with plpgsql_check"
            + " (docs/README.md, The tests)");
    database = TestDatabase.migrated();
    sql = database.connect();
    profile = new Profile(database.url());
    tests = TestDatabase.shownBeforeDropped(profile::add, TestRun::run);
    coverage = new CoverageTable(profile.bodies().stream().map(Coverage::of).toList());
    coverage.write(Path.of("target", "sql-coverage.txt"));
    System.out.println(coverage);
  }

  @AfterAll
  static void close() {
    if (database != null) {
      database.close();
    }
  }

  @Test
  void theTestsPassOnThisServerToo() {
    assertThat(tests.getTestsSucceededCount()).isGreaterThan(300);
    assertThat(tests.getTotalFailureCount()).as(TestRun.failures(tests)).isZero();
  }

  @Test
  void everyFunctionsStatementsAndBranchesAreReached() {
    assertThat(coverage.functions()).hasSizeGreaterThan(40);
    assertThat(String.join("\n", coverage.tooLittle())).isEmpty();
  }

  @Test
  void theLinterSaysNothingThatIsNotListed() {
    SqlLint lint = SqlLint.of(sql);
    assertThat(lint.notListed()).isEmpty();
    assertThat(lint.outlived()).isEmpty();
  }

  @Test
  void everySqlFunctionIsParsedWhenItIsDeployedAndCalledByATest() {
    assertThat(sql.<String>value("show check_function_bodies")).isEqualTo("on");
    sql.run("create extension if not exists pg_stat_statements");
    // The server counts no calls of a function that the planner inlines; the statements name it.
    List<Map<String, Object>> functions =
        sql.rows(
            """
            select p.proname,
                   exists (select 1 from pg_stat_statements s where s.query ~ ('queen"?[.]"?' || p.proname || '"?[(]')) as named
              from pg_proc p
              join pg_language l on l.oid = p.prolang and l.lanname = 'sql'
             where p.pronamespace = 'queen'::regnamespace
            """);
    assertThat(functions).hasSizeGreaterThan(10);
    assertThat(functions)
        .filteredOn(f -> !(boolean) f.get("named"))
        .extracting(f -> f.get("proname"))
        .isSubsetOf(profile.called());
  }
}
