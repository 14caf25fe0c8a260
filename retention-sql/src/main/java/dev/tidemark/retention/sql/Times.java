package dev.tidemark.retention.sql;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/** Instants in Java, timestamptz in the database: bound as such, with microseconds. */
final class Times {
  private Times() {}

  static @Nullable Instant instant(@Nullable OffsetDateTime value) {
    return value == null ? null : value.toInstant();
  }

  static @Nullable OffsetDateTime timestamptz(@Nullable Instant value) {
    return value == null ? null : value.atOffset(ZoneOffset.UTC);
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
