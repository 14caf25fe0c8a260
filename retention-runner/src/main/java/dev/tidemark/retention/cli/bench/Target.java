package dev.tidemark.retention.cli.bench;

import java.util.Locale;

/** What a ratio has to reach, or must not exceed. */
public record Target(boolean atLeast, double bound) {
  public static Target atLeast(double bound) {
    return new Target(true, bound);
  }

  public static Target atMost(double bound) {
    return new Target(false, bound);
  }

  /** False for what is no number. */
  public boolean holds(double ratio) {
    return atLeast ? ratio >= bound : ratio <= bound;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s %.1f", atLeast ? ">=" : "<=", bound);
  }
}
