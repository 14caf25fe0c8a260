package dev.tidemark.retention.it.suite;

import java.util.Random;
import java.util.function.Supplier;

/**
 * Where chance comes from: one number a run, the property {@code tidemark.seed}, drawn when it is
 * not set. Every property and every race derives its own from it by name, so that one class alone
 * repeats what it did among all.
 */
public final class Seed {
  public static final String PROPERTY = "tidemark.seed";

  private static final long DRAWN = new Random().nextLong();

  private Seed() {}

  /**
   * The seed of this run.
   *
   * @throws IllegalArgumentException the property is no whole number
   */
  public static long current() {
    String text = System.getProperty(PROPERTY, "");
    if (text.isEmpty()) {
      return DRAWN;
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          PROPERTY + ": must be a whole number of 64 bits, not '" + text + "'", e);
    }
  }

  /** While {@code run} goes on, the run has this seed. */
  public static <T> T with(long seed, Supplier<T> run) {
    String before = System.getProperty(PROPERTY, "");
    System.setProperty(PROPERTY, Long.toString(seed));
    try {
      return run.get();
    } finally {
      System.setProperty(PROPERTY, before);
    }
  }

  /** The seed of what bears this name. */
  public static long of(String name) {
    return current() * 0x9E37_79B9_7F4A_7C15L + name.hashCode();
  }

  /** Numbers for what bears this name. */
  public static Random random(String name) {
    return new Random(of(name));
  }
}
