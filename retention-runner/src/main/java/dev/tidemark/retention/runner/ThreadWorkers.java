package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.Workers;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs step workers on daemon threads that live as long as their phase. The first worker runs on
 * the calling thread.
 */
final class ThreadWorkers implements Workers {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  @Override
  public void run(int width, Runnable worker) {
    List<FutureTask<@Nullable Void>> tasks =
        IntStream.range(0, width)
            .mapToObj(i -> new FutureTask<@Nullable Void>(worker, null))
            .toList();
    int started = 1;
    try {
      for (; started < width; started++) {
        Threads.daemon("retention-worker-" + started).newThread(tasks.get(started)).start();
      }
    } catch (RuntimeException | Error e) {
      // No more threads to be had: those there are do the work, and all are waited for.
      LOG.warn("only {} of {} step workers could be started", started, width, e);
    }
    tasks.get(0).run();

    Throwable first = null;
    boolean interrupted = false;
    for (FutureTask<@Nullable Void> task : tasks.subList(0, started)) {
      // An interrupt does not leave a worker behind: it is kept for the caller until the steps in
      // flight have ended.
      while (true) {
        try {
          task.get();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          first = first == null ? e.getCause() : first;
          break;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException failure) {
      throw failure;
    }
  }
}
