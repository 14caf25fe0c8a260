package dev.tidemark.retention.core.knob;

import dev.tidemark.retention.core.knob.Knob.Checked;
import java.util.List;

/** What a knob may be. */
sealed interface Values {
  Checked check(Knob knob, String raw);

  String description();

  static Values range(long min, long max) {
    return new Whole(min, max, Outside.REFUSED);
  }

  /** Outside the range the nearest end is used, with a warning. */
  static Values clamped(long min, long max) {
    return new Whole(min, max, Outside.CLAMPED);
  }

  /** Below the range its lower end is used, with a warning; above it is refused. */
  static Values floored(long min, long max) {
    return new Whole(min, max, Outside.FLOORED);
  }

  static Values zeroOrRange(long min, long max) {
    return new ZeroOrWhole(new Whole(min, max, Outside.REFUSED));
  }

  static Values choice(String... allowed) {
    return new Choice(List.of(allowed));
  }

  enum Outside {
    REFUSED,
    CLAMPED,
    FLOORED
  }

  record Whole(long min, long max, Outside outside) implements Values {
    @Override
    public Checked check(Knob knob, String raw) {
      long value;
      try {
        value = Long.parseLong(raw);
      } catch (NumberFormatException e) {
        throw new InvalidKnobException(knob, raw, e);
      }
      long near = Math.max(min, Math.min(max, value));
      if (near == value) {
        return new Checked(Long.toString(value), "");
      }
      if (outside == Outside.REFUSED || (outside == Outside.FLOORED && value > max)) {
        throw new InvalidKnobException(knob, raw);
      }
      return new Checked(
          Long.toString(near),
          knob.variable() + "=" + raw + " is outside " + min + " .. " + max + ": using " + near);
    }

    @Override
    public String description() {
      return "a whole number, " + min + " .. " + max;
    }
  }

  record ZeroOrWhole(Whole range) implements Values {
    @Override
    public Checked check(Knob knob, String raw) {
      return raw.equals("0") ? new Checked("0", "") : range.check(knob, raw);
    }

    @Override
    public String description() {
      return "0, or " + range.description();
    }
  }

  record Choice(List<String> allowed) implements Values {
    @Override
    public Checked check(Knob knob, String raw) {
      if (!allowed.contains(raw)) {
        throw new InvalidKnobException(knob, raw);
      }
      return new Checked(raw, "");
    }

    @Override
    public String description() {
      return "one of " + String.join(", ", allowed);
    }
  }
}
