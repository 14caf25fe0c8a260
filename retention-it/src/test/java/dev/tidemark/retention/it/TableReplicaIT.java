package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Waiting;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/** The run waits for a replica: one that takes the log and says late that it has applied it. */
class TableReplicaIT extends OnEventTables {
  private static final String LAG =
      "select max(extract(epoch from replay_lag)) * 1000 from pg_stat_replication";

  @Test
  void aReplicaThatIsBehindIsWaitedFor() throws SQLException {
    assumeTrue(
        sql.<Boolean>value(
            "select current_setting('max_wal_senders')::int > 0 and current_setting('wal_level') <> 'minimal'"
                + " and exists (select from pg_hba_file_rules where 'replication' = any (database) and type = 'host')"),
        "this server lets no replica in");
    tables.table("t", "timestamptz");
    sql.run("insert into ev.t values ('2020-01-01Z', 1)");
    tables.set("ev.t", "at", "1 day", Map.of("name", "p"));
    String throttle = "select queen.table_throttle_v1('ev.t'::regclass, ?, 1)";
    assertThat(sql.<String>value(throttle, 1)).isNull();

    try (Connection replica = replica();
        PGReplicationStream stream = stream(replica)) {
      Waiting.until(
          "the replica says late what it has applied",
          Duration.ofSeconds(30),
          () -> {
            try {
              // Something to apply; by the time it has come here some milliseconds have gone.
              sql.run("create table ev.more (n int)");
              sql.run("drop table ev.more");
              LogSequenceNumber end =
                  LogSequenceNumber.valueOf(
                      sql.<String>value("select pg_current_wal_flush_lsn()::text"));
              while (stream.getLastReceiveLSN().asLong() < end.asLong()) {
                if (stream.readPending() == null) {
                  sql.value("select 1");
                }
              }
              stream.setAppliedLSN(end);
              stream.setFlushedLSN(end);
              stream.forceUpdateStatus();
              return sql.<Boolean>value("select coalesce((" + LAG + ") >= 2, false)");
            } catch (SQLException e) {
              throw new IllegalStateException(e);
            }
          });
      assertThat(sql.<String>value(throttle, 1))
          .startsWith("replica late is ")
          .endsWith(" ms behind");
      assertThat(sql.<String>value(throttle, 60_000)).isNull();
      assertThat(sql.<String>value(throttle, (Object) null)).isNull();
      JsonNode run =
          sql.json("call queen.table_retention_run_v1(p_max_lag_ms => 1, p_time_ms => 1)");
      assertThat(run.get("policies").findValuesAsText("stopped")).containsExactly("throttled");
      assertThat(sql.number("select count(*) from ev.t")).isOne();
    }
  }

  private static PGReplicationStream stream(Connection replica) throws SQLException {
    return replica
        .unwrap(PGConnection.class)
        .getReplicationAPI()
        .replicationStream()
        .physical()
        .withStartPosition(
            LogSequenceNumber.valueOf(sql.<String>value("select pg_current_wal_flush_lsn()::text")))
        .withStatusInterval(1, TimeUnit.HOURS)
        .start();
  }

  private static Connection replica() throws SQLException {
    Properties properties = new Properties();
    PGProperty.REPLICATION.set(properties, "true");
    PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "15");
    PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
    PGProperty.APPLICATION_NAME.set(properties, "late");
    return DriverManager.getConnection(database.url(), properties);
  }
}
