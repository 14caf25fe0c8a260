package dev.tidemark.retention.cli.events;

/** A place in the file: 1-based line and column, the column counted in code points. */
record Position(long line, long column) {

  /** The place {@code offset} UTF-16 units into {@code text}, when the text starts here. */
  Position after(String text, int offset) {
    long atLine = line;
    long atColumn = column;
    for (int i = 0; i < offset && i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n') {
        atLine++;
        atColumn = 1;
      } else if (!Character.isLowSurrogate(c)) {
        atColumn++;
      }
    }
    return new Position(atLine, atColumn);
  }

  @Override
  public String toString() {
    return "line " + line + ", column " + column;
  }
}
