package dev.tidemark.retention.sql;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Instants in Java, timestamptz in the database: bound as such, with microseconds. Durations as the
 * numbers that functions and the driver take.
 */
final class Times {
  private Times() {}

  static @Nullable Instant instant(@Nullable OffsetDateTime value) {
    return value == null ? null : value.toInstant();
  }

  static @Nullable OffsetDateTime timestamptz(@Nullable Instant value) {
    return value == null ? null : value.atOffset(ZoneOffset.UTC);
  }

  /** Of a bound that has to be at least 1. */
  static int millis(Duration time) {
    return (int) Math.min(Integer.MAX_VALUE, Math.max(1, time.toMillis()));
  }

  /** Rounded up: JDBC counts whole seconds. */
  static int seconds(Duration time) {
    return (int) Math.min(Integer.MAX_VALUE, time.plusMillis(999).toSeconds());
  }

  static Instant databaseNow(Session session) {
    OffsetDateTime now =
        session.autocommit(
            dsl ->
                dsl.select(Session.server("clock_timestamp", SQLDataType.TIMESTAMPWITHTIMEZONE))
                    .fetchSingle()
                    .value1());
    return now.toInstant();
  }
}
