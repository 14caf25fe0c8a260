package dev.tidemark.retention.cli.events;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads whole files that exist only in memory; fields are {@code p} and {@code t}. */
final class EventFiles {

  static final EventFields FIELDS = new EventFields("p", "t");
  static final EventTime ISO = EventTime.of(null, ZoneOffset.UTC);

  private EventFiles() {}

  static List<EventRow> rows(String content) throws IOException {
    return rows("events", content.getBytes(StandardCharsets.UTF_8));
  }

  static List<EventRow> csv(String content) throws IOException {
    return rows("events.csv", content.getBytes(StandardCharsets.UTF_8));
  }

  static List<EventRow> rows(String name, byte[] content) throws IOException {
    try (EventFile file = EventFile.read(new ByteArrayInputStream(content), name, FIELDS, ISO)) {
      return drain(file);
    }
  }

  static List<EventRow> drain(EventFile file) throws IOException {
    List<EventRow> rows = new ArrayList<>();
    for (Optional<EventRow> row = file.next(); row.isPresent(); row = file.next()) {
      rows.add(row.get());
    }
    return rows;
  }

  static List<Event> events(List<EventRow> rows) {
    return rows.stream().filter(Event.class::isInstance).map(Event.class::cast).toList();
  }

  static List<String> json(List<EventRow> rows) {
    return events(rows).stream().map(Event::json).toList();
  }

  static List<String> bad(List<EventRow> rows) {
    return rows.stream().filter(BadRow.class::isInstance).map(Object::toString).toList();
  }

  /** A good row with one more field. */
  static String row(String partition, String more) {
    return "{\"p\":\"" + partition + "\",\"t\":\"2001-01-01\"," + more + "}";
  }
}
