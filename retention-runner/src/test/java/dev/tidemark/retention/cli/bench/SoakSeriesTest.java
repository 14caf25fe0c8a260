package dev.tidemark.retention.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SoakSeriesTest {
  private final SoakSeries series = new SoakSeries();

  @Test
  void growthComparesTheLargestOfThePhasesHalves() {
    looks(SoakSeries.BEFORE, 10, 30, 33, 20);
    looks(SoakSeries.HELD, 20, 20, 40, 60);

    assertThat(series.growth(SoakSeries.BEFORE)).isEqualTo(1.1);
    assertThat(series.growth(SoakSeries.HELD)).isEqualTo(3.0);
    assertThat(series.lastMegabytes(SoakSeries.HELD)).isEqualTo(60);
  }

  @Test
  void theTimeOfACycleIsTheMedianOfThePhasesSecondHalf() {
    series.phase(SoakSeries.BEFORE);
    for (double millis : new double[] {900, 900, 900, 5, 6, 7}) {
      series.cycle(millis);
    }
    series.phase(SoakSeries.HELD);
    series.cycle(8);

    assertThat(series.cycleMillis(SoakSeries.BEFORE)).isEqualTo(6);
    assertThat(series.cycleMillis(SoakSeries.HELD)).isEqualTo(8);
  }

  @Test
  void theSeriesSayWhenTheSnapshotWasHeld() {
    looks(SoakSeries.BEFORE, 1);
    looks(SoakSeries.HELD, 2);
    looks(SoakSeries.AFTER, 3);

    assertThat(series.series())
        .containsEntry("snapshot", List.of(0.0, 1.0, 0.0))
        .containsEntry("log MB", List.of(1.0, 2.0, 3.0));
  }

  @Test
  void whatWasSeenBeforeTheFirstCycleDoesNotCount() {
    series.look(0, new SoakSeries.Sizes(5_000_000, 0));
    looks(SoakSeries.BEFORE, 1);

    assertThat(series.series()).containsEntry("log MB", List.of(1.0));
  }

  private void looks(String phase, int... megabytes) {
    series.phase(phase);
    series.cycle(1);
    for (int size : megabytes) {
      series.look(0, new SoakSeries.Sizes(size * 1_000_000L, 0));
    }
  }
}
