package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.runner.RetentionService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A cycle a second on a thread of its own, until closed; closing waits for the one in flight. */
final class DemoRetention implements AutoCloseable {
  private static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

  private final DataSource dataSource;
  private final Knobs knobs;
  private final Stop stop = new Stop();
  private final Thread thread = new Thread(this::loop, "demo-retention");
  private final AtomicLong cycles = new AtomicLong();
  private final AtomicLong failedSteps = new AtomicLong();
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

  DemoRetention(DataSource dataSource, Knobs knobs) {
    this.dataSource = dataSource;
    this.knobs = knobs;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void loop() {
    try {
      RetentionService service = service();
      long next = System.nanoTime();
      while (stop.pauseUntil(next)) {
        cycle(service);
        next = Math.max(next + PERIOD, System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure.set(e);
    }
  }

  private RetentionService service() {
    return RetentionService.on(dataSource).knobs(knobs).build();
  }

  /**
   * One cycle as after a restart: what the loop had backed off, since a group held it back, is
   * visited again.
   */
  void once() {
    cycle(service());
  }

  private void cycle(RetentionService service) {
    if (service.runOnce() instanceof CycleOutcome.Swept swept) {
      cycles.incrementAndGet();
      failedSteps.addAndGet(swept.report().visits().failed());
    }
  }

  long cycles() {
    return cycles.get();
  }

  long failedSteps() {
    return failedSteps.get();
  }

  /** Throws what ended the loop early. */
  void requireSound() {
    RuntimeException thrown = failure.get();
    if (thrown != null) {
      throw thrown;
    }
  }

  @Override
  public void close() throws InterruptedException {
    stop.request();
    thread.join();
  }
}
