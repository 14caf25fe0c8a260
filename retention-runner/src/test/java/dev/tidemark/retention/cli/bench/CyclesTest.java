package dev.tidemark.retention.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.retention.core.cycle.CycleReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CyclesTest {
  @Test
  void aCycleThatOnlyDeletedIsMeasured() {
    CycleReport report = report(0, 0, "", "");

    assertThat(Cycles.undisturbed(report)).isSameAs(report);
  }

  @Test
  void aFailedStepRollUpOrPurgeIsNotMeasured() {
    for (CycleReport failed :
        List.of(report(1, 0, "", ""), report(0, 0, "57014", ""), report(0, 0, "", "57014"))) {
      assertThatThrownBy(() -> Cycles.undisturbed(failed))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("a part of a cycle failed");
    }
  }

  @Test
  void workThatWasNotLoadedIsNotMeasured() {
    assertThatThrownBy(() -> Cycles.undisturbed(report(0, 1, "", "")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("more to do");
  }

  private static CycleReport report(
      long failed, long txnsPurged, String rollUpError, String purgeError) {
    return new CycleReport(
        Instant.EPOCH,
        List.of(),
        new CycleReport.Visits(1, 0, 0, failed),
        Map.of(),
        txnsPurged,
        0,
        new CycleReport.RollUp(0, rollUpError),
        new CycleReport.MetricsPurge(0, purgeError),
        false,
        Duration.ZERO);
  }
}
