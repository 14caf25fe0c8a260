package dev.tidemark.retention.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RowResultTest {
  @Test
  void theResultIsTheMedianOfItsRatiosAndTheBoundItselfHolds() {
    RowResult row = row(Optional.of(Target.atLeast(5)), 4.0, 6.0, 5.0);

    assertThat(row.ratio()).isEqualTo(5.0);
    assertThat(row.holds()).contains(true);
    assertThat(row(Optional.of(Target.atLeast(5)), 4.9).holds()).contains(false);
  }

  @Test
  void aTargetAtMostIsMissedAboveIt() {
    assertThat(row(Optional.of(Target.atMost(1.3)), 1.3).holds()).contains(true);
    assertThat(row(Optional.of(Target.atMost(1.3)), 1.31).holds()).contains(false);
  }

  @Test
  void whatIsNoNumberReachesNoTarget() {
    assertThat(Target.atLeast(1).holds(Double.NaN)).isFalse();
    assertThat(Target.atMost(1).holds(Double.NaN)).isFalse();
  }

  @Test
  void aRowWithoutTargetNeitherHoldsNorSpoilsARun() {
    RowResult reported = row(Optional.empty(), 100.0);

    assertThat(reported.holds()).isEmpty();
    assertThat(Reports.of(reported).holds()).isTrue();
    assertThat(Reports.of(reported, row(Optional.of(Target.atMost(1)), 2.0)).holds()).isFalse();
  }

  private static RowResult row(Optional<Target> target, Double... ratios) {
    return new RowResult("r", "what", target, List.of(ratios), Map.of());
  }
}
