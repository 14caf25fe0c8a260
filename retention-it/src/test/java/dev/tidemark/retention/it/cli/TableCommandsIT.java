package dev.tidemark.retention.it.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands for event tables: what they print, what they refuse, how they end. */
class TableCommandsIT {
  private TestDatabase database;
  private Sql sql;
  private Cli cli;

  @BeforeEach
  void aTableOfATenthOldRows() {
    database = TestDatabase.migrated();
    sql = database.connect();
    cli = new Cli("--jdbc-url", database.url());
    sql.run("create table events (at timestamptz, note text)");
    sql.run("create index on events (at)");
    sql.run(
        """
        insert into events select now() - i * interval '1 hour', 'n' from generate_series(1, 1000) i
        """);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "table",
        "table nonsense",
        "table add",
        "table add events",
        "table add events --column at",
        "table add events --column at --keep x",
        "table add events --column at --keep -1d",
        "table add events --column at --keep 0",
        "table add events --column at --keep 1d --batch 0",
        "table add events --column at --keep 1d --batch x",
        "table add events --column at --keep 1d --kind date",
        "table add events --column at --keep 1d --zone UTC",
        "table add events --column at --keep 1d --where nonsense",
        "table add events --column at --keep 1d --archive nowhere",
        "table add events --column nowhere --keep 1d",
        "table add nowhere --column at --keep 1d",
        "table plan",
        "table run a b",
        "table remove",
        "table schedule events",
        "table schedule events --off --with-pg-cron x"
      })
  void badUsageIsExitCodeTwoAndSaysWhatIsWrong(String arguments) {
    Cli.Run run = cli.run(arguments.split(" ", -1));

    assertThat(run.code()).as(run.err()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("retention table").contains(":");
    assertThat(sql.number("select count(*) from queen.table_policies")).isZero();
  }

  @ParameterizedTest
  @CsvSource({"plan", "run", "status", "doctor", "remove", "schedule --with-pg-cron x"})
  void aPolicyThatIsNotThereIsOneLineAndExitCodeOne(String arguments) {
    Cli.Run run =
        cli.run(("table " + arguments.replaceFirst("^(\\w+)", "$1 nobody")).split(" ", -1));

    assertThat(run.code()).as(run.err()).isEqualTo(1);
    assertThat(run.err()).contains("nobody").hasLineCount(1);
  }

  @Test
  void aRefusalForAMissingIndexIsTheStatementThatMakesOne() {
    sql.run("create table bare (at timestamptz)");

    Cli.Run run = cli.run("table", "add", "bare", "--column", "at", "--keep", "1d");

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err())
        .contains("create index concurrently on public.bare (at);")
        .hasLineCount(1);
  }

  @Test
  void aPolicyIsAddedListedReplacedAndRemoved() {
    JsonNode added =
        cli.json(
            "table",
            "add",
            "events",
            "--column",
            "at",
            "--keep",
            "2 days",
            "--where",
            "note <> 'keep'",
            "--batch",
            "7");
    assertThat(added.get("warnings")).isEmpty();
    added = added.get("policy");
    assertThat(added.get("name").asText()).isEqualTo("events");
    assertThat(added.get("relation").asText()).isEqualTo("public.events");
    assertThat(added.get("kind").asText()).isEqualTo("timestamptz");
    assertThat(added.get("batch").asInt()).isEqualTo(7);
    assertThat(added.get("created").asBoolean()).isTrue();

    JsonNode listed = cli.json("table", "list").get("policies").get(0);
    assertThat(listed.get("policy").asText()).isEqualTo("events");
    assertThat(listed.get("rule").get("keep").asText()).isEqualTo("2 days");
    assertThat(listed.get("rule").get("predicate").asText()).contains("note");

    JsonNode again =
        cli.json("table", "add", "events", "--column", "at", "--keep", "3 days", "--disabled");
    assertThat(again.get("policy").get("created").asBoolean()).isFalse();
    assertThat(again.get("policy").get("predicate").isNull()).isTrue();
    assertThat(again.get("policy").get("enabled").asBoolean()).isFalse();
    assertThat(cli.run("table", "list").out()).contains("public.events").contains("3 days");

    assertThat(cli.json("table", "remove", "events").get("removed").asBoolean()).isTrue();
    assertThat(cli.run("table", "list").out()).isEqualToIgnoringNewLines("no policies");
    assertThat(sql.number("select count(*) from events")).isEqualTo(1000);
  }

  @Test
  void aPlanCountsWhatARunDeletesAndChangesNothing() {
    cli.json("table", "add", "events", "--column", "at", "--keep", "100 hours");
    sql.run("insert into events values (null, 'n'), ('-infinity', 'n')");

    JsonNode plan = cli.json("table", "plan", "events");

    assertThat(plan.get("rows").asLong()).isEqualTo(901);
    assertThat(plan.get("seconds").isNull()).as("nothing has been measured").isTrue();
    assertThat(plan.get("leaves").get(0).get("never").asLong()).isEqualTo(2);
    assertThat(sql.number("select count(*) from events")).isEqualTo(1002);

    JsonNode ran = cli.json("table", "run", "events");
    assertThat(ran.get("deleted").asLong()).isEqualTo(901);
    assertThat(ran.get("policies").get(0).get("stopped").asText()).isEqualTo("done");
    assertThat(sql.number("select count(*) from events")).isEqualTo(101);

    JsonNode after = cli.json("table", "plan", "events");
    assertThat(after.get("rows").asLong()).isZero();
    assertThat(after.get("seconds").asDouble()).isZero();
  }

  @Test
  void aRunOfAllServesTheOthersWhenOneFailsAndSaysSo() {
    sql.run("create table poison (at timestamptz)");
    sql.run("create index on poison (at)");
    sql.run("insert into poison values (now() - interval '1 year')");
    sql.run(
        "create function refuse() returns trigger language plpgsql as $$ begin raise exception"
            + " 'this row stays'; end $$");
    sql.run("create trigger refuse before delete on poison for each row execute function refuse()");
    cli.json("table", "add", "poison", "--column", "at", "--keep", "1 day");
    cli.json("table", "add", "events", "--column", "at", "--keep", "100 hours");

    Cli.Run run = cli.run("table", "run", "--json");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.document().get("deleted").asLong()).isEqualTo(901);
    assertThat(run.document().get("failed").asLong()).isEqualTo(1);
    assertThat(cli.run("table", "status").out()).contains("WARNING policy poison failed");
    Cli.Run doctor = cli.run("table", "doctor");
    assertThat(doctor.code()).isEqualTo(3);
    assertThat(doctor.out()).contains("poison: failed: ").contains("this row stays");
    assertThat(cli.run("table", "doctor", "events").code()).isZero();
  }

  @Test
  void aDisabledPolicyRunsToNothing() {
    cli.json("table", "add", "events", "--column", "at", "--keep", "100 hours", "--disabled");

    assertThat(cli.json("table", "run", "events").get("deleted").asLong()).isZero();
    assertThat(sql.number("select count(*) from events")).isEqualTo(1000);
    assertThat(cli.run("table", "plan", "events").out()).contains("if the policy were enabled");
    assertThat(cli.run("table", "doctor").out()).contains("disabled");
  }

  @Test
  void aRunThatHadToLeaveRowsIsExitCodeThree() {
    cli.json("table", "add", "events", "--column", "at", "--keep", "100 hours");
    try (Sql writer = Sql.connect(database.url())) {
      writer.begin();
      writer.run("select from events order by at limit 1 for update");

      Cli.Run run = cli.run("table", "run", "events", "--json");

      assertThat(run.code()).as(run.err()).isEqualTo(3);
      assertThat(run.document().get("deleted").asLong()).isEqualTo(900);
      JsonNode policy = run.document().get("policies").get(0);
      assertThat(policy.get("stopped").asText()).isEqualTo("stuck");
      assertThat(policy.get("skipped").asLong()).isOne();
      writer.rollback();
    }
    assertThat(cli.run("table", "run", "events").code()).isZero();
  }

  @Test
  void aTableThatAnotherProcessIsAtIsExitCodeFour() {
    cli.json("table", "add", "events", "--column", "at", "--keep", "100 hours");
    try (Sql other = Sql.connect(database.url())) {
      other.begin();
      other.run("select pg_advisory_xact_lock(737002, hashtext('events'))");

      Cli.Run run = cli.run("table", "run", "--json");

      assertThat(run.code()).as(run.err()).isEqualTo(4);
      assertThat(run.document().get("policies").get(0).get("stopped").asText()).isEqualTo("busy");
      other.rollback();
    }
    assertThat(sql.number("select count(*) from events")).isEqualTo(1000);
    assertThat(cli.run("table", "run").code()).isZero();
  }

  @Test
  void aListIsThereWhileTheTableIsLocked() {
    cli.json("table", "add", "events", "--column", "at", "--keep", "100 hours");
    try (Sql other = Sql.connect(database.url())) {
      other.begin();
      other.run("lock table events in access exclusive mode");

      // A look would wait for the lock, and longer than this.
      sql.run(
          "alter database \"%s\" set statement_timeout = '1s'"
              .formatted(sql.<String>value("select current_database()")));

      JsonNode listed = cli.json("table", "list").get("policies").get(0);

      assertThat(listed.get("rule").get("keep").asText()).isEqualTo("100:00:00");
      other.rollback();
    }
  }

  @Test
  void withoutPgCronAScheduleIsRefusedWithTheStatementForWhereItIs() {
    cli.json("table", "add", "events", "--column", "at", "--keep", "1 day");

    Cli.Run run = cli.run("table", "schedule", "events", "--with-pg-cron", "* * * * *");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("cron.schedule_in_database").hasLineCount(1);
    assertThat(cli.json("table", "schedule", "events", "--off").get("removed").asBoolean())
        .isFalse();
  }
}
