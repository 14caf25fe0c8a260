package dev.tidemark.retention.cli.events;

/**
 * Values of the file as they may appear in a message: on one line, short, no control characters.
 */
final class Quoted {

  private static final int SHOWN = 60;

  private Quoted() {}

  /** In double quotes, cut after 60 characters. */
  static String of(String value) {
    boolean cut = value.length() > SHOWN;
    return '"' + printable(cut ? value.substring(0, SHOWN) : value) + (cut ? "\"..." : "\"");
  }

  /** A message that may repeat text of the file: unprintable characters escaped, cut after 300. */
  static String message(String message) {
    return printable(message.length() > 300 ? message.substring(0, 300) + "..." : message);
  }

  private static String printable(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int type = Character.getType(c);
      // Format characters include the ones that turn a terminal's writing direction.
      boolean hidden =
          Character.isISOControl(c)
              || type == Character.FORMAT
              || type == Character.LINE_SEPARATOR
              || type == Character.PARAGRAPH_SEPARATOR
              || JsonText.isLoneSurrogate(text, i);
      if (hidden) {
        JsonText.appendEscape(out, c);
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }
}
