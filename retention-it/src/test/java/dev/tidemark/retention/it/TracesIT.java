package dev.tidemark.retention.it;

import static dev.tidemark.retention.it.support.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code get_message_traces_v1}. */
class TracesIT {
  private static TestDatabase database;
  private static Sql sql;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @Test
  void tracesComeOldestFirstAndOutliveTheirPartition() {
    UUID partition = new TestLog(sql).partition("q", "p");
    trace(partition, "t", "second", "2021-01-01Z");
    trace(partition, "t", "first", "2020-01-01Z");
    trace(partition, "t", "third", "2021-01-01Z");
    trace(partition, "other", "not this", "2020-06-01Z");
    trace(UUID.randomUUID(), "t", "nor this", "2020-06-01Z");
    sql.json("select queen.delete_queue_v1('q')");

    assertThat(
            sql.rows(
                "select event, data ->> 'k' as k, created_at from"
                    + " queen.get_message_traces_v1(?, 't')",
                partition))
        .extracting(r -> List.copyOf(r.values()))
        .containsExactly(
            List.of("first", "first", Instant.parse("2020-01-01T00:00:00Z")),
            List.of("second", "second", Instant.parse("2021-01-01T00:00:00Z")),
            List.of("third", "third", Instant.parse("2021-01-01T00:00:00Z")));
  }

  @Test
  void aMessageThatNobodyTracedHasNone() {
    assertThat(sql.rows("select * from queen.get_message_traces_v1(gen_random_uuid(), 't')"))
        .isEmpty();
  }

  @Test
  void aBadArgumentIsNamed() {
    refused(
        "22023",
        () -> sql.rows("select * from queen.get_message_traces_v1(null, 't')"),
        "p_partition_id");
    for (String bad : List.of("null", "''")) {
      refused(
          "22023",
          () ->
              sql.rows("select * from queen.get_message_traces_v1(gen_random_uuid(), " + bad + ")"),
          "p_transaction_id");
    }
  }

  @Test
  void theReaderDoesNotSeeThem() {
    Sql reader = database.connect();
    reader.run("set role queen_reader");
    refused(
        "42501",
        () -> reader.rows("select * from queen.get_message_traces_v1(gen_random_uuid(), 't')"));
  }

  private static void trace(UUID partition, String transaction, String event, String at) {
    sql.run(
        "insert into queen.message_traces (partition_id, transaction_id, event, data, created_at)"
            + " values (?, ?, ?, jsonb_build_object('k', ?::text), ?::timestamptz)",
        partition,
        transaction,
        event,
        event,
        at);
  }
}
