package dev.tidemark.retention.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CycleReportTest {
  @ParameterizedTest
  @CsvSource({"1,0,0,0,0", "0,1,0,0,0", "0,0,1,0,0", "0,0,0,1,0", "0,0,0,0,1"})
  void whateverWentIsSomething(
      long segments, long waited, long txns, long partitions, long metrics) {
    assertThat(report(segments, waited, txns, partitions, metrics).deletedSomething()).isTrue();
  }

  @Test
  void whatWasRolledUpIsNotGone() {
    assertThat(report(0, 0, 0, 0, 0).deletedSomething()).isFalse();
  }

  @Test
  void whatMaxWaitEvictedIsCountedApart() {
    CycleReport report = report(3, 5, 0, 0, 0);
    assertThat(report.segmentsDeleted()).isEqualTo(3);
    assertThat(report.maxWaitEvicted()).isEqualTo(5);
  }

  private static CycleReport report(
      long segments, long waited, long txns, long partitions, long metrics) {
    return new CycleReport(
        Instant.EPOCH,
        List.of(),
        new CycleReport.Visits(0, 0, 0, 0),
        Map.of(
            "q",
            Map.of(
                "retention",
                new Deleted(segments, 0),
                CycleReport.MAX_WAIT,
                new Deleted(waited, 0))),
        txns,
        partitions,
        new CycleReport.RollUp(7, ""),
        new CycleReport.MetricsPurge(metrics, ""),
        false,
        Duration.ZERO);
  }
}
