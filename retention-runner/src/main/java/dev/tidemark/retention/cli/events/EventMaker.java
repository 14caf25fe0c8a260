package dev.tidemark.retention.cli.events;

import java.time.Instant;

/** Makes an event of a row: its partition's name and its time, both checked. */
final class EventMaker {

  /** Longest partition name, in code points, which is how PostgreSQL counts characters. */
  static final int MAX_PARTITION_NAME = 255;

  private final EventFields fields;
  private final EventTime eventTime;

  EventMaker(EventFields fields, EventTime eventTime) {
    this.fields = fields;
    this.eventTime = eventTime;
  }

  EventFields fields() {
    return fields;
  }

  Event event(RowPlace place, JsonRow row) throws RefusedRowException {
    if (row.json().length() > RowBytes.LIMIT) {
      // Escapes may make it longer than it was in the file.
      throw new RefusedRowException("as JSON the row exceeds " + RowBytes.LIMIT + " characters");
    }
    String partition;
    try {
      partition = partitionName(row.partition());
    } catch (RefusedRowException e) {
      throw refused("partition", fields.partition(), e);
    }
    Instant time;
    try {
      time = eventTime.parse(row.time());
    } catch (RefusedRowException e) {
      throw refused("time", fields.time(), e);
    }
    return new Event(place, partition, time, row.json());
  }

  private static String partitionName(FieldValue value) throws RefusedRowException {
    String name = value.scalar();
    if (name.codePointCount(0, name.length()) > MAX_PARTITION_NAME) {
      throw new RefusedRowException("is longer than " + MAX_PARTITION_NAME + " characters");
    }
    if (name.indexOf('\0') >= 0) {
      throw new RefusedRowException("holds U+0000, which PostgreSQL text cannot");
    }
    if (JsonText.hasLoneSurrogate(name)) {
      throw new RefusedRowException("holds half a surrogate pair, which UTF-8 cannot");
    }
    return name;
  }

  private static RefusedRowException refused(String role, String field, RefusedRowException why) {
    return new RefusedRowException(role + " field " + Quoted.of(field) + " " + why.reason());
  }
}
