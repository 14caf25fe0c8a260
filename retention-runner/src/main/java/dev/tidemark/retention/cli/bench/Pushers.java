package dev.tidemark.retention.cli.bench;

import dev.tidemark.retention.sql.BrokerGateway;
import dev.tidemark.retention.sql.BrokerGateway.Segment;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Threads that push one thing at a time at a steady rate. A push that waits does not slow the rate
 * down: the next ones are late then, and every time is taken from when the push was meant to be
 * sent.
 */
final class Pushers implements AutoCloseable {
  private static final long LONGEST_MICROS = 600_000_000;
  private static final int DIGITS = 3;
  private static final int HASH = 16;

  private final Push push;
  private final int threads;
  private final long interval;
  private final AtomicLong made = new AtomicLong();
  private final ExecutorService executor;

  /** Pushes once, whichever thread it is on; no number comes twice. */
  interface Push {
    void push(long number) throws SQLException;
  }

  /**
   * @param rate pushes a second, of all threads together
   */
  Pushers(int threads, int rate, Push push) {
    this.push = push;
    this.threads = threads;
    this.interval = 1_000_000_000L * threads / rate;
    this.executor =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "bench-push");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** One segment at a time, into the partitions of the made-up log in turn. */
  static Pushers intoLog(
      BenchDatabase database, int partitions, int threads, int rate, int blobBytes) {
    BrokerGateway broker = new BrokerGateway(database.dataSource());
    byte[] blob = new byte[blobBytes];
    return new Pushers(
        threads,
        rate,
        number ->
            broker.push(
                new Segment(
                    "q1",
                    "p" + (1 + number % partitions),
                    1,
                    hash(number),
                    OptionalLong.empty(),
                    blob)));
  }

  /** What else goes on while they push; it ends by itself. */
  interface Beside {
    void run() throws Exception;
  }

  /**
   * Pushes as long as something else lasts, and to the last push that was meant to be sent before
   * its end.
   *
   * @return microseconds
   */
  Histogram during(Beside beside) throws InterruptedException {
    ConcurrentHistogram latencies = new ConcurrentHistogram(LONGEST_MICROS, DIGITS);
    AtomicLong end = new AtomicLong(Long.MAX_VALUE);
    long start = System.nanoTime() + interval;
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      long first = start + i * interval / threads;
      running.add(
          executor.submit(
              () -> {
                push(first - start, start, end, latencies);
                return null;
              }));
    }
    try {
      beside.run();
    } catch (InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("what went on beside the pushes failed", e);
    } finally {
      end.set(System.nanoTime() - start);
    }
    for (Future<?> thread : running) {
      try {
        thread.get();
      } catch (ExecutionException e) {
        throw new IllegalStateException("a push failed", e.getCause());
      }
    }
    return latencies;
  }

  /** All times after {@code start}. */
  private void push(long first, long start, AtomicLong end, ConcurrentHistogram latencies)
      throws SQLException {
    for (long meant = first; meant < end.get(); meant += interval) {
      for (long left = meant - (System.nanoTime() - start);
          left > 0;
          left = meant - (System.nanoTime() - start)) {
        LockSupport.parkNanos(left);
      }
      push.push(made.incrementAndGet());
      latencies.recordValue(Math.min(LONGEST_MICROS, (System.nanoTime() - start - meant) / 1000));
    }
  }

  /** No two alike. */
  private static byte[] hash(long number) {
    return java.nio.ByteBuffer.allocate(HASH).putLong(number).array();
  }

  long made() {
    return made.get();
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
