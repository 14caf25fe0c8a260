package dev.tidemark.retention.it.suite;

import java.time.Duration;
import java.util.Locale;

/** How much of everything: the property {@code tidemark.depth}, {@code short} unless set. */
public enum Depth {
  /** What every build runs. */
  SHORT,
  /** Thousands of histories, and minutes of races. */
  LONG;

  public static final String PROPERTY = "tidemark.depth";

  /**
   * The depth of this JVM.
   *
   * @throws IllegalArgumentException the property is neither {@code short} nor {@code long}
   */
  public static Depth current() {
    String name = System.getProperty(PROPERTY, "short");
    for (Depth depth : values()) {
      if (depth.toString().equals(name)) {
        return depth;
      }
    }
    throw new IllegalArgumentException(PROPERTY + ": must be short or long, not '" + name + "'");
  }

  public static int of(int shortly, int atLength) {
    return current() == LONG ? atLength : shortly;
  }

  public static Duration of(Duration shortly, Duration atLength) {
    return current() == LONG ? atLength : shortly;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
