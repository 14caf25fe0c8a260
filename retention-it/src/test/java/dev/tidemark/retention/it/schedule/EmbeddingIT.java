package dev.tidemark.retention.it.schedule;

import static dev.tidemark.retention.it.schedule.Fleet.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.example.EmbeddingBroker;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The example of docs/embedding.md, run. */
class EmbeddingIT {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("RETENTION_INTERVAL", "1000", "PATH", "/usr/bin");

  private final Fleet fleet = new Fleet();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void twoBrokersEmbedItAndOneGoesOnAloneWhenTheOtherCloses() {
    List<UUID> first = fleet.due(3);
    try (EmbeddingBroker left = new EmbeddingBroker(fleet.database.pool(), ENVIRONMENT)) {
      EmbeddingBroker right = new EmbeddingBroker(fleet.database.pool(), ENVIRONMENT);
      until("swept", () -> fleet.live(first) == 0);
      right.close();

      List<UUID> second = fleet.due(3);
      until("swept by the one that is left", () -> fleet.live(second) == 0);
    }
    assertThat(fleet.<Object>column("holder")).isNull();
  }
}
