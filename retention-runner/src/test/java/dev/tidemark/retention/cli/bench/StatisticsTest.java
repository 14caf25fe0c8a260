package dev.tidemark.retention.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatisticsTest {
  @Test
  void theMedianIsTheMiddleOneWhateverTheOrder() {
    assertThat(Statistics.median(List.of(9.0, 1.0, 5.0))).isEqualTo(5.0);
  }

  @Test
  void theMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
    assertThat(Statistics.median(List.of(4.0, 1.0, 100.0, 2.0))).isEqualTo(3.0);
  }

  @Test
  void oneOutlierDoesNotMoveIt() {
    assertThat(Statistics.median(List.of(1.0, 1.1, 0.9, 1.0, 1000.0))).isEqualTo(1.0);
  }

  @Test
  void nothingMeasuredHasNoMedian() {
    assertThatThrownBy(() -> Statistics.median(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void ratiosAreFormedRoundByRound() {
    assertThat(Statistics.ratios(List.of(10.0, 6.0), List.of(5.0, 2.0))).containsExactly(2.0, 3.0);
  }

  @Test
  void sidesWithDifferentRoundsAreRefused() {
    assertThatThrownBy(() -> Statistics.ratios(List.of(1.0), List.of(1.0, 2.0)))
        .hasMessageContaining("1 rounds", "2");
  }
}
