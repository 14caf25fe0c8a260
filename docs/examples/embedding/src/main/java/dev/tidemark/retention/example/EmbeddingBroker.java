package dev.tidemark.retention.example;

import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.runner.RetentionService;
import java.util.Map;
import javax.sql.DataSource;

/** A broker that runs retention beside itself, on its own pool. */
public final class EmbeddingBroker implements AutoCloseable {
  private final RetentionService retention;

  public EmbeddingBroker(DataSource pool, Map<String, String> environment) {
    retention = RetentionService.on(pool).knobs(Knobs.of(environment)).build();
    retention.start();
  }

  @Override
  public void close() {
    retention.close();
  }
}
