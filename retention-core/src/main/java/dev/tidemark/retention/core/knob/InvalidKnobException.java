package dev.tidemark.retention.core.knob;

/**
 * A knob's value that does not parse or is out of range. The message is one line for the operator.
 */
public final class InvalidKnobException extends IllegalArgumentException {
  InvalidKnobException(Knob knob, String raw) {
    super(message(knob, raw));
  }

  InvalidKnobException(Knob knob, String raw, NumberFormatException cause) {
    super(message(knob, raw), cause);
  }

  private static String message(Knob knob, String raw) {
    return knob.variable() + ": must be " + knob.allowed() + ", not '" + raw + "'";
  }
}
