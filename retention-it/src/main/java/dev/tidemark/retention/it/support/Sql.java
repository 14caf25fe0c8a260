package dev.tidemark.retention.it.support;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Statements on one connection. An {@link Instant} is bound and read as timestamptz. Failures are
 * {@link SqlFailure}.
 */
public final class Sql implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Connection connection;

  Sql(Connection connection) {
    this.connection = connection;
  }

  /** A connection of the test's own, to whatever server. */
  public static Sql connect(String url) {
    try {
      return new Sql(DriverManager.getConnection(url));
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  /** Statements on a connection that somebody else opened, and that closing gives back. */
  public static Sql over(Connection connection) {
    return new Sql(connection);
  }

  public Connection connection() {
    return connection;
  }

  /** Runs a statement; rows changed. */
  public int run(String sql, @Nullable Object... arguments) {
    try (PreparedStatement statement = prepare(sql, arguments)) {
      return statement.execute() ? 0 : statement.getUpdateCount();
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  /** Runs a statement; what the server had to say about it, in order. */
  public List<String> notices(String sql, @Nullable Object... arguments) {
    try (PreparedStatement statement = prepare(sql, arguments)) {
      statement.execute();
      List<String> notices = new ArrayList<>();
      for (SQLWarning said = statement.getWarnings(); said != null; said = said.getNextWarning()) {
        notices.add(said.getMessage());
      }
      return notices;
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  /** All rows, columns by name. */
  public List<Map<String, @Nullable Object>> rows(String sql, @Nullable Object... arguments) {
    try (PreparedStatement statement = prepare(sql, arguments);
        ResultSet result = statement.executeQuery()) {
      List<Map<String, @Nullable Object>> rows = new ArrayList<>();
      while (result.next()) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        for (int c = 1; c <= result.getMetaData().getColumnCount(); c++) {
          row.put(result.getMetaData().getColumnLabel(c), read(result, c));
        }
        rows.add(row);
      }
      return rows;
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  /** The only column of all rows. */
  public List<@Nullable Object> column(String sql, @Nullable Object... arguments) {
    List<@Nullable Object> values = new ArrayList<>();
    rows(sql, arguments).forEach(row -> values.addAll(row.values()));
    return values;
  }

  /** The only row. */
  public Map<String, @Nullable Object> row(String sql, @Nullable Object... arguments) {
    List<Map<String, @Nullable Object>> rows = rows(sql, arguments);
    if (rows.size() != 1) {
      throw new AssertionError(rows.size() + " rows, not 1: " + sql);
    }
    return rows.get(0);
  }

  /** The only column of the only row. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T extends @Nullable Object> T value(String sql, @Nullable Object... arguments) {
    return (T) row(sql, arguments).values().iterator().next();
  }

  /** The only value, as a number. */
  public long number(String sql, @Nullable Object... arguments) {
    Number number = value(sql, arguments);
    return number.longValue();
  }

  /** The only value, a jsonb. */
  public JsonNode json(String sql, @Nullable Object... arguments) {
    try {
      return JSON.readTree(String.valueOf(this.<Object>value(sql, arguments)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not JSON", e);
    }
  }

  /**
   * Leaves autocommit: what follows is one transaction until {@link #commit} or {@link #rollback}.
   */
  public void begin() {
    try {
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  public void commit() {
    try {
      connection.commit();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  public void rollback() {
    try {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  /** The server process behind this connection, as pg_stat_activity and pg_locks name it. */
  public int backend() {
    return (int) number("select pg_backend_pid()");
  }

  private PreparedStatement prepare(String sql, @Nullable Object... arguments) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < arguments.length; i++) {
      Object argument = arguments[i];
      statement.setObject(
          i + 1, argument instanceof Instant instant ? instant.atOffset(ZoneOffset.UTC) : argument);
    }
    return statement;
  }

  private static @Nullable Object read(ResultSet result, int column) throws SQLException {
    if (result.getMetaData().getColumnTypeName(column).equals("timestamptz")) {
      OffsetDateTime time = result.getObject(column, OffsetDateTime.class);
      return time == null ? null : time.toInstant();
    }
    return result.getObject(column);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }
}
