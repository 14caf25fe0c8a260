package dev.tidemark.retention.cli.events;

/**
 * Writes JSON strings so that the text survives UTF-8.
 *
 * <p>A lone surrogate is legal in JSON as an escape and impossible in UTF-8, where an encoder would
 * quietly make it a question mark; here it stays an escape.
 */
final class JsonText {

  private JsonText() {}

  /** Appends {@code value} as a JSON string with its quotes. */
  static void appendString(StringBuilder out, String value) {
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < 0x20 || isLoneSurrogate(value, i)) {
            appendEscape(out, c);
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  static void appendEscape(StringBuilder out, char c) {
    out.append(String.format("\\u%04x", (int) c));
  }

  /** Whether the unit at {@code index} is half of a surrogate pair without its other half. */
  static boolean isLoneSurrogate(String text, int index) {
    char c = text.charAt(index);
    if (Character.isHighSurrogate(c)) {
      return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
    }
    return Character.isLowSurrogate(c)
        && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
  }

  static boolean hasLoneSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isLoneSurrogate(text, i)) {
        return true;
      }
    }
    return false;
  }
}
