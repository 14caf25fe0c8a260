package dev.tidemark.retention.cli.events;

/**
 * The value of one field of a row, before anyone has made sense of it.
 *
 * @param kind what the row holds there
 * @param text the string's content, or the number or boolean letter for letter; else empty
 */
record FieldValue(Kind kind, String text) {

  enum Kind {
    MISSING,
    NULL,
    STRING,
    NUMBER,
    BOOLEAN,
    /** An object or an array. */
    NESTED
  }

  static final FieldValue MISSING = new FieldValue(Kind.MISSING, "");
  static final FieldValue NULL = new FieldValue(Kind.NULL, "");
  static final FieldValue NESTED = new FieldValue(Kind.NESTED, "");

  static FieldValue string(String text) {
    return new FieldValue(Kind.STRING, text);
  }

  static FieldValue number(String text) {
    return new FieldValue(Kind.NUMBER, text);
  }

  static FieldValue bool(String text) {
    return new FieldValue(Kind.BOOLEAN, text);
  }

  /** The text of a string, number or boolean that is not empty; anything else is refused. */
  String scalar() throws RefusedRowException {
    String problem =
        switch (kind) {
          case MISSING -> "is missing";
          case NULL -> "is null";
          case NESTED -> "is an object or an array, not a single value";
          case STRING, NUMBER, BOOLEAN -> text.isEmpty() ? "is empty" : "";
        };
    if (!problem.isEmpty()) {
      throw new RefusedRowException(problem);
    }
    return text;
  }
}
