package dev.tidemark.retention.cli.events;

import java.io.IOException;
import java.util.Optional;

/**
 * The elements of one JSON array.
 *
 * <p>An element is split off by its brackets and quotes before it is parsed, so that one element
 * that is refused does not cost the rest. A syntax error does: it is reported once, and reading
 * ends, because brackets can no longer be trusted to say where the next element starts.
 */
final class JsonArrayRows implements RowSource {

  private final ByteScanner scanner;
  private final EventMaker maker;
  private final JsonRowParser parser;
  private long row;
  private boolean ended;

  /** The scanner stands before the opening bracket. */
  JsonArrayRows(ByteScanner scanner, EventMaker maker) {
    this.scanner = scanner;
    this.maker = maker;
    this.parser = new JsonRowParser(maker.fields());
  }

  @Override
  public Optional<EventRow> next() throws IOException {
    if (ended) {
      return Optional.empty();
    }
    scanner.skipBlank();
    RowPlace place = place();
    try {
      boolean found = findElement();
      place = place();
      if (!found) {
        ended = true;
        return afterTheEnd(place);
      }
      row++;
      return Optional.of(element(place));
    } catch (JsonSyntaxException e) {
      ended = true;
      return Optional.of(new BadRow(place, e.reason()));
    }
  }

  /** The place of the row that would start here. */
  private RowPlace place() {
    return new RowPlace(scanner.position().line(), row + 1, true);
  }

  /** Moves to the first byte of the next element; false when the array was closed instead. */
  private boolean findElement() throws IOException, JsonSyntaxException {
    Position position = scanner.position();
    int b = scanner.next();
    if (row == 0) {
      scanner.skipBlank();
      if (scanner.peek() != ']') {
        return true;
      }
      scanner.next();
    } else if (b == ',') {
      scanner.skipBlank();
      return true;
    } else if (b != ']') {
      throw new JsonSyntaxException(
          position,
          b == ByteScanner.END
              ? "the file ends before the array does"
              : "expected ',' or ']' after a row");
    }
    scanner.skipBlank();
    return false;
  }

  private Optional<EventRow> afterTheEnd(RowPlace place) throws IOException {
    if (scanner.peek() == ByteScanner.END) {
      return Optional.empty();
    }
    return Optional.of(
        new BadRow(place, "text after the end of the array at " + scanner.position()));
  }

  private EventRow element(RowPlace place) throws IOException, JsonSyntaxException {
    Position start = scanner.position();
    RowBytes bytes = split();
    if (bytes.isEmpty()) {
      throw new JsonSyntaxException(start, "expected a row");
    }
    try {
      return maker.event(place, parser.parse(bytes.text(), start));
    } catch (RefusedRowException e) {
      return new BadRow(place, e.reason());
    }
  }

  /** Takes one value: to the bracket or quote that closes it, or to what must follow a literal. */
  private RowBytes split() throws IOException, JsonSyntaxException {
    RowBytes bytes = new RowBytes();
    int depth = 0;
    boolean inString = false;
    boolean escaped = false;
    while (true) {
      int b = scanner.peek();
      if (b == ByteScanner.END) {
        throw new JsonSyntaxException(scanner.position(), "the file ends inside a row");
      }
      if (inString) {
        if (b < 0x20) {
          throw new JsonSyntaxException(
              scanner.position(), "a line end or control character inside a string");
        }
        inString = escaped || b != '"';
        escaped = !escaped && b == '\\';
      } else if (b == '"') {
        inString = true;
      } else if (b == '{' || b == '[') {
        depth++;
      } else if (depth == 0 && (b == ',' || b == ']' || b == '}' || ByteScanner.isBlank(b))) {
        return bytes;
      } else if (b == '}' || b == ']') {
        depth--;
      }
      bytes.add(scanner.next());
      if (depth == 0 && !inString && (b == '"' || b == '}' || b == ']')) {
        return bytes;
      }
    }
  }
}
