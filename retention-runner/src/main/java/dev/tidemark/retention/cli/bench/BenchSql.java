package dev.tidemark.retention.cli.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/** The bench's own SQL, from its files. */
final class BenchSql {
  private static final List<String> FUNCTIONS =
      List.of(
          "load_log",
          "restore_due",
          "due_partitions",
          "baseline_step",
          "sweep",
          "load_soak",
          "table_sizes",
          "load_events",
          "event_step",
          "hand_loop",
          "hand_loop_asked",
          "form_loop",
          "run_events");

  private BenchSql() {}

  /** Creates schema {@code bench} with all functions in it; the log's schema is there. */
  static void install(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create schema bench");
      for (String file : FUNCTIONS) {
        statement.execute(read(file));
      }
    }
  }

  static String read(String file) {
    try (InputStream sql = BenchSql.class.getResourceAsStream(file + ".sql")) {
      if (sql == null) {
        throw new IllegalStateException("the bench lacks its file " + file + ".sql");
      }
      return new String(sql.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
