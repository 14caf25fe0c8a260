package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.runner.RetentionService;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/** Retention as a broker embeds it: on the schedule, until closed. */
final class DemoRetention implements AutoCloseable {
  private final DataSource dataSource;
  private final Knobs knobs;
  private final LongAdder cycles = new LongAdder();
  private final LongAdder failedSteps = new LongAdder();
  private final RetentionService service;

  DemoRetention(DataSource dataSource, Knobs knobs) {
    this.dataSource = dataSource;
    this.knobs = knobs;
    this.service = service();
  }

  private RetentionService service() {
    return RetentionService.on(dataSource).knobs(knobs).listener(this::count).build();
  }

  void start() {
    service.start();
  }

  /**
   * One cycle as after a restart: what the schedule had backed off, since a group held it back, is
   * visited again.
   */
  void once() {
    try (RetentionService restarted = service()) {
      restarted.runOnce();
    }
  }

  private void count(CycleOutcome outcome) {
    if (outcome instanceof CycleOutcome.Swept swept) {
      cycles.increment();
      failedSteps.add(swept.report().visits().failed());
    }
  }

  long cycles() {
    return cycles.sum();
  }

  long failedSteps() {
    return failedSteps.sum();
  }

  /** Waits for the step in flight. */
  @Override
  public void close() {
    service.close();
  }
}
