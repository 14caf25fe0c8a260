package dev.tidemark.retention.example;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.runner.RetentionService;
import java.util.Map;
import javax.sql.DataSource;

/** One cycle on the broker's own pool, with the knobs of its environment. */
public final class EmbeddingBroker {
  private final RetentionService retention;

  /** The pool needs parallelism + 3 connections to spare; the schema has to be deployed. */
  public EmbeddingBroker(DataSource pool, Map<String, String> environment) {
    this.retention = RetentionService.on(pool).knobs(Knobs.of(environment)).build();
  }

  /** Whether it swept; false when another process is sweeping. */
  public boolean sweep() {
    return retention.runOnce() instanceof CycleOutcome.Swept;
  }
}
