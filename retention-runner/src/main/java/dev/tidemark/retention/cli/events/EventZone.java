package dev.tidemark.retention.cli.events;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes an instant of parsed fields: by their own offset, else their own zone, else the given one.
 *
 * <p>Every {@link DateTimeException} it throws has a message that continues the quoted value.
 */
final class EventZone {

  private final ZoneId zone;

  EventZone(ZoneId zone) {
    this.zone = zone;
  }

  Instant instant(TemporalAccessor parsed) {
    @Nullable LocalDate date = parsed.query(TemporalQueries.localDate());
    if (date == null) {
      throw new DateTimeException("has no full date in it");
    }
    @Nullable ZoneOffset offset = parsed.query(TemporalQueries.offset());
    @Nullable ZoneId own = parsed.query(TemporalQueries.zone());
    ZoneId where = offset != null ? offset : own != null ? own : zone;
    @Nullable LocalTime time = parsed.query(TemporalQueries.localTime());
    if (time != null) {
      return instant(date.atTime(time), where);
    }
    for (ChronoField field : ChronoField.values()) {
      // An hour of 1 to 12 without am or pm would otherwise pass as a date alone.
      if (field.isTimeBased() && parsed.isSupported(field)) {
        throw new DateTimeException("has only part of a time of day in it");
      }
    }
    return date.atStartOfDay(where).toInstant();
  }

  private static Instant instant(LocalDateTime local, ZoneId where) {
    List<ZoneOffset> offsets = where.getRules().getValidOffsets(local);
    if (offsets.isEmpty()) {
      throw new DateTimeException("does not exist in " + where + ", where clocks skip it");
    }
    return local.toInstant(offsets.get(0));
  }
}
