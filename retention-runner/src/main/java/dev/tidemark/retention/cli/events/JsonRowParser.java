package dev.tidemark.retention.cli.events;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns the text of one row into a {@link JsonRow}.
 *
 * <p>Tokens are copied, never converted: 1.10 stays 1.10 and an integer of any length keeps its
 * digits. Blanks between tokens go, and escapes become the characters they stand for where UTF-8
 * can hold them.
 */
final class JsonRowParser {

  /** How deep objects and arrays may lie in each other, the row itself included. */
  static final int MAX_DEPTH = 500;

  /** Jackson's way to say where a bracket was opened, with a place relative to the row. */
  private static final Pattern OPENED_AT =
      Pattern.compile(" \\((?:start marker at|for \\w+ starting at) \\[.*\\]\\)");

  private final EventFields fields;
  private final JsonFactory factory;

  JsonRowParser(EventFields fields) {
    this.fields = fields;
    // Names and numbers are only copied, so the row's own limit bounds them. Canonical names would
    // keep every key of a hostile file in one shared table.
    factory =
        JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(RowBytes.LIMIT)
                    .maxNumberLength(RowBytes.LIMIT)
                    .maxNameLength(RowBytes.LIMIT)
                    .build())
            .build();
  }

  /**
   * Reads one row.
   *
   * @param text exactly one JSON value
   * @param start where the text starts in the file
   * @throws JsonSyntaxException when it is not JSON
   * @throws RefusedRowException when it is JSON, but not an object, too deep, or ambiguous
   */
  JsonRow parse(String text, Position start) throws JsonSyntaxException, RefusedRowException {
    try (JsonParser parser = factory.createParser(text)) {
      return new JsonRowCopy(parser, fields).copy();
    } catch (StreamConstraintsException e) {
      throw new RefusedRowException("nested more than " + MAX_DEPTH + " levels deep");
    } catch (JsonProcessingException e) {
      if (e.getOriginalMessage().contains("surrogate")) {
        // Legal JSON that Jackson reads in strings but not in names, and has no type of its own
        // for.
        throw new RefusedRowException(
            "a field name holds half a surrogate pair, which UTF-8 cannot");
      }
      throw new JsonSyntaxException(start.after(text, offset(e.getLocation())), problem(e));
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be read", e);
    }
  }

  private static int offset(@Nullable JsonLocation location) {
    return location == null ? 0 : (int) Math.max(0, location.getCharOffset());
  }

  private static String problem(JsonProcessingException e) {
    if (e instanceof JsonEOFException) {
      return "the row ends too early";
    }
    return Quoted.message(OPENED_AT.matcher(e.getOriginalMessage()).replaceAll(""));
  }
}
