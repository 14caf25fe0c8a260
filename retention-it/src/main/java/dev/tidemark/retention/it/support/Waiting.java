package dev.tidemark.retention.it.support;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Work on a thread of its own, and facts of the server to wait for. The server says that a session
 * waits for a lock, so a test that goes on from there has the order it needs, however slow the
 * machine is.
 */
public final class Waiting {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Waiting() {}

  /** Starts work on a thread of its own, whether or not it is going to wait. */
  public static <T extends @Nullable Object> Elsewhere<T> elsewhere(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task, "elsewhere");
    thread.setDaemon(true);
    thread.start();
    return new Elsewhere<>(task);
  }

  /**
   * Starts work on {@code session} and returns once {@code observer} sees it wait for a lock; work
   * that ends without having waited fails the test.
   */
  public static <T extends @Nullable Object> Elsewhere<T> blocked(
      Sql observer, Sql session, Function<Sql, T> work) {
    int backend = session.backend();
    Elsewhere<T> started = elsewhere(() -> work.apply(session));
    until(
        "the session waits for a lock",
        () -> started.task.isDone() || isBlocked(observer, backend));
    if (started.task.isDone()) {
      throw new AssertionError("did not wait, but ended with " + started.get());
    }
    return started;
  }

  /** Until that session waits for a lock that another one holds. */
  public static void untilBlocked(Sql observer, int backend) {
    until("the session waits for a lock", () -> isBlocked(observer, backend));
  }

  /** Until a query that answers with one boolean answers true. */
  public static void untilTrue(Sql observer, String sql, @Nullable Object... arguments) {
    until(sql, () -> Boolean.TRUE.equals(observer.value(sql, arguments)));
  }

  /** The server processes that this one waits for. */
  public static List<@Nullable Object> blockers(Sql observer, int backend) {
    return observer.column("select unnest(pg_blocking_pids(?))", backend);
  }

  private static boolean isBlocked(Sql observer, int backend) {
    return observer.number("select cardinality(pg_blocking_pids(?))", backend) > 0;
  }

  private static void until(String what, BooleanSupplier fact) {
    until(what, PATIENCE, fact);
  }

  /** Until a fact holds; after {@code patience} the test fails. */
  public static void until(String what, Duration patience, BooleanSupplier fact) {
    await(what)
        .atMost(patience)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(fact::getAsBoolean);
  }

  /** What runs on another thread. */
  public static final class Elsewhere<T extends @Nullable Object> {
    private final FutureTask<T> task;

    private Elsewhere(FutureTask<T> task) {
      this.task = task;
    }

    /** The result, once what it waited for is free, or the failure as it was thrown there. */
    public T get() {
      try {
        return task.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException failure) {
          throw failure;
        }
        throw new IllegalStateException(e.getCause());
      } catch (TimeoutException e) {
        throw new AssertionError("still running after " + PATIENCE, e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }
}
