package dev.tidemark.retention.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BenchTableTest {
  private final List<List<String>> lines = BenchTable.lines(Reports.full());

  @Test
  void aLineSaysTheMedianItsTargetTheSpreadAndWhatIsBehindIt() {
    assertThat(lines.get(1))
        .containsExactly(
            "wide",
            "6.00",
            ">= 5.0",
            "holds",
            "5.50 .. 6.50",
            "visits to visits",
            "visits/s: runner 4,200");
  }

  @Test
  void aMissedTargetIsLoudAndARowWithoutOneIsQuiet() {
    assertThat(lines.get(2)).startsWith("push", "2.50", "<= 2.0", "MISSED", "");
    assertThat(lines.get(3)).startsWith("walwide (200 B)", "3.00", "-", "");
  }

  @Test
  void everyColumnHasAHeading() {
    assertThat(lines.get(0)).doesNotContain("").contains("status");
  }

  @Test
  void aResultOnTheWayHasItsCaseAndTheNumberOfTheTable() {
    assertThat(
            BenchTable.oneLine(
                new RowResult(
                        "wide", "a to b", Optional.empty(), List.of(0.1466126446657998), Map.of())
                    .variant("no flush")))
        .isEqualTo("wide (no flush): a to b: 0.15");
  }

  @Test
  void everyLineHasAsManyCellsAsTheHeading() {
    assertThat(lines).hasSize(6).allMatch(line -> line.size() == lines.get(0).size());
  }
}
