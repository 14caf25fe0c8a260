package dev.tidemark.retention.cli.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tidemark.retention.sql.AuditGateway;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** One database of the bench's server, and a pool on it. */
final class BenchDatabase implements AutoCloseable {
  /** The widest fan-out with its three others, the pushers, and one that looks. */
  private static final int CONNECTIONS = 16;

  private static final String TABLES =
      "queen.queues, queen.log_partitions, queen.log_segments, queen.log_txns, queen.log_consumers,"
          + " queen.retention_history";

  private final HikariDataSource pool;

  BenchDatabase(String url, String user) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("bench");
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(0);
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.addDataSourceProperty("ApplicationName", "retention bench");
    this.pool = new HikariDataSource(config);
  }

  DataSource dataSource() {
    return pool;
  }

  /** Runs one query that answers one number. */
  long number(String sql, Object... arguments) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /** Runs one query; the first columns of its rows. */
  List<String> column(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> column = new ArrayList<>();
      while (rows.next()) {
        column.add(rows.getString(1));
      }
      return column;
    }
  }

  /** Runs one statement in autocommit; rows changed. */
  long run(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      return statement.executeLargeUpdate(sql);
    }
  }

  /** No dead rows, fresh statistics. */
  void vacuum() throws SQLException {
    run("vacuum (analyze) " + TABLES);
  }

  /** Nothing left to write; the next change of each page logs the whole page. */
  void checkpoint() throws SQLException {
    run("checkpoint");
  }

  /** Bytes of WAL written since the cluster was made. */
  long walBytes() throws SQLException {
    return number("select (pg_current_wal_insert_lsn() - '0/0')::bigint");
  }

  void requireInvariants() {
    List<AuditGateway.Broken> broken = new AuditGateway(pool).brokenInvariants();
    if (!broken.isEmpty()) {
      throw new IllegalStateException("the bench loads what cannot be: " + broken);
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
