package dev.tidemark.retention.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class WindowEditsTest {
  private static final UUID QUEUE = UUID.randomUUID();

  private final WindowEdits edits = new WindowEdits();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void aQueueIsUnchangedFromItsSecondListOn() {
    assertThat(edits.unchanged(list(true))).isEmpty();
    assertThat(edits.unchanged(list(true))).containsExactly(QUEUE);
  }

  @Test
  void aQueueThatWasAwayForAListIsNotUnchanged() {
    edits.unchanged(list(true));
    edits.unchanged(list(false));
    assertThat(edits.unchanged(list(true))).isEmpty();
  }

  private WorkList list(boolean withQueue) {
    now = now.plusSeconds(5);
    QueueRule rule = new QueueRule(QUEUE, "q", now.minusSeconds(60), null, now, null);
    return new WorkList(now, withQueue ? Map.of(QUEUE, rule) : Map.of(), Map.of());
  }
}
