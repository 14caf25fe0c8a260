package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that a trigger keeps or moves, more than a batch: a run ends, and the others go. */
class TableKeptIT extends OnEventTables {
  /** By the index, those of one moment come in the order of n, or the last of the table first. */
  @ParameterizedTest
  @ValueSource(strings = {"at", "at, n", "at, n desc", "at desc", "at desc, n"})
  void whateverTheIndexSaysOfOneMomentTheOthersOfItGo(String columns) {
    sql.run("create table ev.t (at timestamptz, n int, kept boolean)");
    sql.run("create index on ev.t (%s)".formatted(columns));
    for (String kept : new String[] {"n % 500 < 300", "n % 500 >= 200"}) {
      sql.run(
          "insert into ev.t select '2020-01-01Z', 1000 - n, "
              + kept
              + " from generate_series(1, 1000) n");
    }
    trigger("if old.kept then return null; end if; return old;");
    tables.set("ev.t", "at", "10 days", Map.of("batch", 100));

    JsonNode run = run();

    assertThat(run.get("stopped").asText()).isEqualTo("stuck");
    assertThat(run.get("deleted").asInt()).isEqualTo(800);
    assertThat(sql.number("select count(*) from ev.t where not kept")).isZero();
  }

  /** While a snapshot is open the new version of a row comes behind all others. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "update ev.t set gone = true where n = old.n; return null;",
        "update ev.t set gone = not gone where n = old.n; return null;"
      })
  void whatIsUpdatedInsteadOfDeletedIsAskedForOnceAPass(String body) {
    sql.run("create table ev.t (day date, n int primary key, gone boolean)");
    sql.run("create index on ev.t (day)");
    sql.run("insert into ev.t select '2020-01-01', n, false from generate_series(1, 1000) n");
    trigger(body);
    tables.set("ev.t", "day", "10 days", Map.of("zone", "UTC", "batch", 100));
    try (Sql reader = Sql.connect(database.url())) {
      reader.begin();
      reader.run("set transaction isolation level repeatable read");
      assertThat(reader.number("select count(*) from ev.t")).isEqualTo(1000);

      JsonNode run = run();

      assertThat(run.get("stopped").asText()).isEqualTo("stuck");
      assertThat(run.get("deleted").asInt()).isZero();
      assertThat(run.get("steps").asInt()).as("100 batches of 10, and a pass more").isLessThan(250);
      reader.rollback();
    }
    assertThat(sql.number("select count(*) from ev.t")).isEqualTo(1000);
  }

  @Test
  void whatATriggerLetsGoLaterGoes() {
    sql.run("create table ev.t (at timestamptz, n int)");
    sql.run("create index on ev.t (at)");
    sql.run("insert into ev.t select '2020-01-01Z', n from generate_series(1, 500) n");
    trigger("return null;");
    tables.set("ev.t", "at", "10 days", Map.of("batch", 100));
    assertThat(run().get("stopped").asText()).isEqualTo("stuck");
    sql.run("drop trigger t on ev.t");
    assertThat(run().get("stopped").asText()).isEqualTo("done");
    assertThat(sql.number("select count(*) from ev.t")).isZero();
  }

  private static void trigger(String body) {
    sql.run(
        "create function ev.t() returns trigger language plpgsql as $$ begin %s end $$"
            .formatted(body));
    sql.run("create trigger t before delete on ev.t for each row execute function ev.t()");
  }

  private static JsonNode run() {
    return sql.json("call queen.table_retention_run_v1(p_duty => 1, p_hold_ms => 60000)")
        .get("policies")
        .get(0);
  }
}
