package dev.tidemark.retention.it.support;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Work of one session that has to wait for a lock of another. The server says that it waits, so a
 * test that goes on from here has the order it needs, however slow the machine is.
 */
public final class Blocked<T> {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Executor THREAD_EACH =
      work -> {
        Thread thread = new Thread(work, "blocked");
        thread.setDaemon(true);
        thread.start();
      };

  private final CompletableFuture<T> work;

  private Blocked(CompletableFuture<T> work) {
    this.work = work;
  }

  /**
   * Starts the work on {@code session} and returns once {@code observer} sees it wait for a lock.
   */
  public static <T> Blocked<T> waiting(Sql observer, Sql session, Function<Sql, T> work) {
    int backend = session.backend();
    CompletableFuture<T> future =
        CompletableFuture.supplyAsync(() -> work.apply(session), THREAD_EACH);
    await("the session waits for a lock")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> future.isDone() || isWaiting(observer, backend));
    if (future.isDone()) {
      throw new AssertionError("did not wait, but ended with " + result(future));
    }
    return new Blocked<>(future);
  }

  /**
   * What the work gave, now that the lock it waited for is free. Its own failure is thrown as is.
   */
  public T released() {
    return result(work);
  }

  private static boolean isWaiting(Sql observer, int backend) {
    return observer.number("select cardinality(pg_blocking_pids(?))", backend) > 0;
  }

  private static <T> T result(CompletableFuture<T> work) {
    try {
      return work.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("still waits for its lock", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SqlFailure failure) {
        throw failure;
      }
      throw new CompletionException(e.getCause());
    }
  }
}
