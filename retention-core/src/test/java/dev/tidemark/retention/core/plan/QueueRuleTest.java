package dev.tidemark.retention.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueueRuleTest {
  private static final Instant LISTED = Instant.parse("2026-06-01T12:00:00Z");
  private static final UUID QUEUE = UUID.randomUUID();

  @Test
  void aRuleCoversItselfAndWhatTimeMakesOfIt() {
    for (Phase phase : Phase.values()) {
      assertThat(rule(LISTED).covers(rule(LISTED), phase)).isTrue();
      assertThat(rule(LISTED.plusMillis(1)).covers(rule(LISTED), phase)).isTrue();
    }
  }

  @Test
  void aWindowThatGrewCoversItNoMore() {
    for (Phase phase : Phase.values()) {
      assertThat(rule(LISTED.minusNanos(1000)).covers(rule(LISTED), phase)).isFalse();
    }
  }

  @Test
  void aWindowThatWentAwayCoversItNoMoreInItsPhase() {
    QueueRule noAge = new QueueRule(QUEUE, "q", null, LISTED, LISTED, LISTED);
    QueueRule noConsumption = new QueueRule(QUEUE, "q", LISTED, null, LISTED, LISTED);
    QueueRule noWait = new QueueRule(QUEUE, "q", LISTED, LISTED, LISTED, null);

    assertThat(noAge.covers(rule(LISTED), Phase.RETENTION)).isFalse();
    assertThat(noConsumption.covers(rule(LISTED), Phase.RETENTION)).isFalse();
    assertThat(noWait.covers(rule(LISTED), Phase.RETENTION)).isTrue();
    assertThat(noWait.covers(rule(LISTED), Phase.MAX_WAIT)).isFalse();
    assertThat(noAge.covers(rule(LISTED), Phase.TXNS_PURGE)).isTrue();
  }

  @Test
  void aWindowThatWasOffIsNotAskedFor() {
    assertThat(
            rule(null).covers(new QueueRule(QUEUE, "q", null, null, LISTED, null), Phase.RETENTION))
        .isTrue();
    assertThat(
            rule(LISTED)
                .covers(new QueueRule(QUEUE, "q", null, null, LISTED, null), Phase.RETENTION))
        .isTrue();
  }

  private static QueueRule rule(@Nullable Instant cutoff) {
    return new QueueRule(QUEUE, "q", cutoff, cutoff, cutoff == null ? LISTED : cutoff, cutoff);
  }
}
