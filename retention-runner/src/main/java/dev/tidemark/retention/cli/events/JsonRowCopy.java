package dev.tidemark.retention.cli.events;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One pass over the tokens of one row: writes them compactly and picks out the wanted fields. Used
 * once.
 *
 * <p>It goes on to the end of the text after it has found a reason to refuse the row, because a
 * syntax error further on is worse: that one ends an array.
 */
final class JsonRowCopy {

  /** An open object (with the names it has so far) or array, and whether anything is in it yet. */
  private static final class Level {
    private final @Nullable Set<String> names;
    private boolean empty = true;

    private Level(@Nullable Set<String> names) {
      this.names = names;
    }
  }

  private final JsonParser parser;
  private final EventFields fields;
  private final StringBuilder out = new StringBuilder();
  private final Deque<Level> levels = new ArrayDeque<>();
  private FieldValue partition = FieldValue.MISSING;
  private FieldValue time = FieldValue.MISSING;
  private String name = "";
  private String refusal = "";

  JsonRowCopy(JsonParser parser, EventFields fields) {
    this.parser = parser;
    this.fields = fields;
  }

  JsonRow copy() throws IOException, RefusedRowException {
    JsonToken first = parser.nextToken();
    if (first != JsonToken.START_OBJECT) {
      refuse("the row is not a JSON object");
    }
    for (JsonToken token = first; token != null; token = parser.nextToken()) {
      if (levels.isEmpty() && out.length() > 0) {
        throw new JsonParseException(
            parser, "a second value after the row's end", parser.currentTokenLocation());
      }
      take(token);
    }
    if (!refusal.isEmpty()) {
      throw new RefusedRowException(refusal);
    }
    return new JsonRow(out.toString(), partition, time);
  }

  private void take(JsonToken token) throws IOException {
    switch (token) {
      case FIELD_NAME -> fieldName(parser.currentName());
      case START_OBJECT -> open('{', new Level(new HashSet<>()));
      case START_ARRAY -> open('[', new Level(null));
      case END_OBJECT -> close('}');
      case END_ARRAY -> close(']');
      case VALUE_STRING -> {
        String text = parser.getText();
        value(FieldValue.string(text));
        JsonText.appendString(out, text);
      }
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> literal(FieldValue.number(parser.getText()));
      case VALUE_TRUE, VALUE_FALSE -> literal(FieldValue.bool(parser.getText()));
      case VALUE_NULL -> {
        value(FieldValue.NULL);
        out.append("null");
      }
      case NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
          throw new IllegalStateException("a text parser does not produce " + token);
    }
  }

  private void fieldName(String fieldName) {
    comma();
    Level level = levels.getFirst();
    if (level.names != null && !level.names.add(fieldName)) {
      refuse("field " + Quoted.of(fieldName) + " occurs twice in one object");
    }
    name = fieldName;
    JsonText.appendString(out, fieldName);
    out.append(':');
  }

  private void open(char bracket, Level level) {
    value(FieldValue.NESTED);
    out.append(bracket);
    levels.push(level);
  }

  private void close(char bracket) {
    out.append(bracket);
    levels.pop();
  }

  private void literal(FieldValue value) {
    value(value);
    out.append(value.text());
  }

  /** What precedes every value: its comma in an array, its capture in the row itself. */
  private void value(FieldValue value) {
    if (levels.isEmpty()) {
      return;
    }
    if (levels.getFirst().names == null) {
      comma();
    } else if (levels.size() == 1) {
      if (name.equals(fields.partition())) {
        partition = value;
      }
      if (name.equals(fields.time())) {
        time = value;
      }
    }
  }

  private void comma() {
    Level level = levels.getFirst();
    if (!level.empty) {
      out.append(',');
    }
    level.empty = false;
  }

  private void refuse(String reason) {
    if (refusal.isEmpty()) {
      refusal = reason;
    }
  }
}
