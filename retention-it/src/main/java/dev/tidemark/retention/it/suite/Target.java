package dev.tidemark.retention.it.suite;

import dev.tidemark.retention.it.support.TestDatabase;
import java.util.function.Supplier;

/**
 * The database that the laws run against: a new copy for each class, unless a run says otherwise.
 */
public final class Target {
  private static volatile Supplier<TestDatabase> source = TestDatabase::migrated;

  private Target() {}

  /** The database for one class of laws, which closes it at its end. */
  public static TestDatabase open() {
    return source.get();
  }

  /**
   * While {@code run} goes on, every class of laws works in the database at {@code url} itself, as
   * it is deployed there, one after the other.
   */
  public static <T> T inPlace(String url, Supplier<T> run) {
    Supplier<TestDatabase> before = source;
    source = () -> TestDatabase.inPlace(url);
    try {
      return run.get();
    } finally {
      source = before;
    }
  }
}
