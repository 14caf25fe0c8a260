package dev.tidemark.retention.it.support;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Facts of the server to wait for, over a connection of its own. */
public final class Waiting {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Sql watcher;

  public Waiting(TestDatabase database) {
    this.watcher = database.connect();
  }

  /** Until that session waits for a lock that another one holds. */
  public void untilBlocked(int backend) {
    untilTrue("select exists (select 1 from pg_locks where pid = ? and not granted)", backend);
  }

  /** Until a query that answers with one boolean answers true. */
  public void untilTrue(String sql, @Nullable Object... arguments) {
    await()
        .alias(sql)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> Boolean.TRUE.equals(watcher.value(sql, arguments)));
  }

  /** Runs something that is going to wait, on a thread of its own. */
  public static <T extends @Nullable Object> Elsewhere<T> elsewhere(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task, "elsewhere");
    thread.setDaemon(true);
    thread.start();
    return new Elsewhere<>(task);
  }

  /** What runs on another thread. */
  public static final class Elsewhere<T extends @Nullable Object> {
    private final FutureTask<T> task;

    private Elsewhere(FutureTask<T> task) {
      this.task = task;
    }

    public boolean isDone() {
      return task.isDone();
    }

    /** The result, or the failure as it was thrown there. */
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
