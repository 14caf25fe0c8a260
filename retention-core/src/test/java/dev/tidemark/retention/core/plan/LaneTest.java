package dev.tidemark.retention.core.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LaneTest {
  private static final Instant OLD = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant MIDDLE = OLD.plusSeconds(1);
  private static final Instant YOUNG = OLD.plusSeconds(2);

  @Test
  void aLaneIsNamedByPhaseAndWhetherTheCursorsDecide() {
    assertThat(Lane.of(1, false)).isEqualTo(Lane.AGE);
    assertThat(Lane.of(1, true)).isEqualTo(Lane.CONSUMPTION);
    assertThat(Lane.of(2, false)).isEqualTo(Lane.SIDECAR);
    assertThat(Lane.of(3, false)).isEqualTo(Lane.WAIT);
    assertThatThrownBy(() -> Lane.of(2, true)).hasMessageContaining("phase 2");
  }

  @Test
  void phaseOneReadsWhatAgeTakesFirst() {
    assertThat(Lane.of(Phase.RETENTION)).containsExactly(Lane.AGE, Lane.CONSUMPTION);
    assertThat(Lane.of(Phase.TXNS_PURGE)).containsExactly(Lane.SIDECAR);
  }

  @Test
  void everyLaneEndsAtItsOwnCutoff() {
    QueueRule rule = new QueueRule(UUID.randomUUID(), "q", OLD, MIDDLE, YOUNG, OLD);
    assertThat(Lane.AGE.range(rule)).contains(new Lane.Range(Optional.empty(), OLD));
    assertThat(Lane.CONSUMPTION.range(rule)).contains(new Lane.Range(Optional.of(OLD), MIDDLE));
    assertThat(Lane.SIDECAR.range(rule)).contains(new Lane.Range(Optional.empty(), YOUNG));
    assertThat(Lane.WAIT.range(rule)).contains(new Lane.Range(Optional.empty(), OLD));
  }

  @ParameterizedTest
  @EnumSource(names = {"AGE", "CONSUMPTION", "WAIT"})
  void aLaneWhoseRuleIsOffIsEmpty(Lane lane) {
    assertThat(lane.range(rule(null, null))).isEmpty();
  }

  @Test
  void consumptionHasOnlyWhatAgeLeavesToIt() {
    assertThat(Lane.CONSUMPTION.range(rule(MIDDLE, MIDDLE))).isEmpty();
    assertThat(Lane.CONSUMPTION.range(rule(YOUNG, MIDDLE))).isEmpty();
    assertThat(Lane.CONSUMPTION.range(rule(null, MIDDLE)))
        .contains(new Lane.Range(Optional.empty(), MIDDLE));
  }

  private static QueueRule rule(@Nullable Instant all, @Nullable Instant completed) {
    return new QueueRule(UUID.randomUUID(), "q", all, completed, OLD, null);
  }
}
