package dev.tidemark.retention.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PushersTest {
  private static final int RATE = 100;
  private static final long STALL_MILLIS = 500;

  @Test
  void pushesThatWereDueDuringAStallCountTheirWait() throws Exception {
    try (BenchServer server = MigratedServer.start()) {
      BenchDatabase database = server.database("pushers");
      new Bench(server, 1, text -> {}, true).load(database, LogShape.due(1, 1, 10));
      Histogram latencies;
      try (Pushers pushers = Pushers.intoLog(database, 1, 1, RATE, 10)) {
        latencies = pushers.during(() -> stall(database));

        assertThat(pushers.made()).isEqualTo(latencies.getTotalCount());
      }

      // One thread: only the first of them really stood at the lock, the others were late by it.
      long meantDuringIt = STALL_MILLIS * RATE / 1000;
      assertThat(latencies.getTotalCount()).isGreaterThanOrEqualTo(meantDuringIt - 1);
      assertThat(latencies.getValueAtPercentile(50))
          .as("half of them waited more than a quarter of the stall")
          .isGreaterThan(TimeUnit.MILLISECONDS.toMicros(STALL_MILLIS / 4));
      assertThat(database.number("select count(*) from queen.log_txns"))
          .isEqualTo(latencies.getTotalCount());
      database.requireInvariants();
    }
  }

  private static void stall(BenchDatabase database) throws Exception {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("select from queen.log_partitions for update");
      statement.execute("select pg_sleep(" + STALL_MILLIS / 1000.0 + ")");
      connection.rollback();
    }
  }
}
