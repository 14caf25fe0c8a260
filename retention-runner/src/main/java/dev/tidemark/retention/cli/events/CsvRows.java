package dev.tidemark.retention.cli.events;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * CSV with a header: every record becomes an object of strings keyed by the header.
 *
 * <p>Records are split off by line ends outside quotes before they are parsed, so one bad record
 * costs itself. A header that cannot serve is one bad row, and nothing after it is read. Blank
 * lines are skipped; blanks around values are kept.
 */
final class CsvRows implements RowSource {

  private final ByteScanner scanner;
  private final EventMaker maker;
  private final CsvFactory factory = new CsvFactory();
  private List<String> header = List.of();
  private long row;
  private boolean ended;

  CsvRows(ByteScanner scanner, EventMaker maker) {
    this.scanner = scanner;
    this.maker = maker;
  }

  @Override
  public Optional<EventRow> next() throws IOException {
    while (!ended && scanner.peek() != ByteScanner.END) {
      RowPlace place =
          new RowPlace(scanner.position().line(), header.isEmpty() ? 0 : row + 1, false);
      RowBytes bytes = split();
      try {
        String text = bytes.text();
        if (text.isBlank()) {
          continue;
        }
        List<String> values = values(text);
        if (header.isEmpty()) {
          header = checkedHeader(values);
          continue;
        }
        row = place.row();
        return Optional.of(maker.event(place, object(values)));
      } catch (RefusedRowException e) {
        row = place.row();
        ended = header.isEmpty();
        return Optional.of(new BadRow(place, e.reason()));
      }
    }
    return Optional.empty();
  }

  private List<String> checkedHeader(List<String> names) throws RefusedRowException {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new RefusedRowException("the header names column " + Quoted.of(name) + " twice");
      }
    }
    for (String wanted : List.of(maker.fields().partition(), maker.fields().time())) {
      if (!seen.contains(wanted)) {
        throw new RefusedRowException("the header has no column " + Quoted.of(wanted));
      }
    }
    return List.copyOf(names);
  }

  private JsonRow object(List<String> values) throws RefusedRowException {
    if (values.size() != header.size()) {
      throw new RefusedRowException(
          "the row has " + values.size() + " columns, the header " + header.size());
    }
    StringBuilder json = new StringBuilder("{");
    for (int i = 0; i < values.size(); i++) {
      if (i > 0) {
        json.append(',');
      }
      JsonText.appendString(json, header.get(i));
      json.append(':');
      JsonText.appendString(json, values.get(i));
    }
    return new JsonRow(
        json.append('}').toString(),
        FieldValue.string(values.get(header.indexOf(maker.fields().partition()))),
        FieldValue.string(values.get(header.indexOf(maker.fields().time()))));
  }

  private List<String> values(String text) throws RefusedRowException {
    List<String> values = new ArrayList<>();
    try (CsvParser parser = factory.createParser(text)) {
      parser.setSchema(CsvSchema.emptySchema());
      parser.nextToken();
      while (parser.nextToken() == JsonToken.VALUE_STRING) {
        values.add(parser.getText());
      }
      if (parser.nextToken() != null) {
        throw new RefusedRowException("a carriage return outside quotes");
      }
      return values;
    } catch (JsonProcessingException e) {
      throw new RefusedRowException("not CSV: " + Quoted.message(e.getOriginalMessage()));
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be read", e);
    }
  }

  /** Takes one record and its line end. A quote counts as one only where a value starts. */
  private RowBytes split() throws IOException {
    RowBytes bytes = new RowBytes();
    boolean quoted = false;
    boolean mayOpen = true;
    for (int b = scanner.next(); b != ByteScanner.END; b = scanner.next()) {
      if (quoted) {
        quoted = b != '"';
        // Directly after a closing quote another one means that it was an escaped quote.
        mayOpen = !quoted;
      } else if (b == '\n' || (b == '\r' && scanner.peek() == '\n')) {
        if (b == '\r') {
          scanner.next();
        }
        break;
      } else {
        quoted = b == '"' && mayOpen;
        mayOpen = b == ',';
      }
      bytes.add(b);
    }
    return bytes;
  }
}
