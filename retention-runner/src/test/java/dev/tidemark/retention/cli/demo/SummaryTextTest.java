package dev.tidemark.retention.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.cli.demo.InvariantCheck.Verdict;
import dev.tidemark.retention.cli.demo.Latencies.Quantiles;
import dev.tidemark.retention.cli.demo.Ledger.Duplicates;
import dev.tidemark.retention.cli.demo.Summary.Queue;
import dev.tidemark.retention.cli.demo.Summary.Went;
import dev.tidemark.retention.sql.StatusGateway.Windows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SummaryTextTest {
  private static final Verdict SOUND = new Verdict(1, "OK", "the tables", List.of());

  @Test
  void aBrokenInvariantShowsItsFirstFindingsAndHowManyMoreThereAre() {
    List<String> found = IntStream.rangeClosed(1, 7).mapToObj(i -> "q/p" + i + ": gone").toList();
    Summary summary =
        summary(new Duplicates(2, 2, 0), null, SOUND, new Verdict(3, "BROKEN", "sums", found));

    assertThat(summary.holds()).isFalse();
    assertThat(SummaryText.lines(summary))
        .containsSequence("invariant 1 OK: the tables", "invariant 3 BROKEN: sums", "  q/p1: gone")
        .endsWith("  q/p5: gone", "  ... and 2 more");
  }

  @Test
  void aRepeatedSegmentThatWasTakenIsNotSoundAndNeitherIsANewOneThatWasRefused() {
    assertThat(summary(new Duplicates(2, 2, 0), null, SOUND).holds()).isTrue();
    assertThat(summary(new Duplicates(2, 1, 0), null, SOUND).holds()).isFalse();
    assertThat(summary(new Duplicates(2, 2, 1), null, SOUND).holds()).isFalse();
  }

  @Test
  void aFileThatDidNotFitIntoTheTimeSaysSo() {
    assertThat(
            SummaryText.lines(
                summary(new Duplicates(0, 0, 0), new Summary.Replay(2000, 1500), SOUND)))
        .contains(
            "1,500 of the file's 2,000 events pushed: this machine did not keep pace, give it more"
                + " --seconds");
  }

  @Test
  void theOnlyQueueHasNoTotalBelowIt() {
    assertThat(SummaryText.lines(summary(new Duplicates(0, 0, 0), null, SOUND)))
        .contains(
            "messages  pushed  fast acked  slow acked  deleted: retention  completed  max wait  live",
            "q          1,500       1,500         700                 600        300       100   500")
        .noneMatch(line -> line.startsWith("all"))
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(LiveTable.WIDTH));
  }

  private static Summary summary(
      Duplicates duplicates, Summary.@Nullable Replay replay, Verdict... verdicts) {
    Map<String, Long> acked = new LinkedHashMap<>();
    acked.put("fast", 1500L);
    acked.put("slow", 700L);
    Map<String, Went> deleted = new LinkedHashMap<>();
    deleted.put(Rule.RETENTION, new Went(60, 600));
    deleted.put(Rule.COMPLETED, new Went(30, 300));
    deleted.put(Rule.MAX_WAIT, new Went(10, 100));
    Queue queue =
        new Queue("q", new Windows(true, 10, 3, 6), 16, 150, 1500, acked, deleted, 50, 500);
    Quantiles times = new Quantiles(10, 1, 2, 3);
    return new Summary(
        3,
        List.of(queue),
        new Summary.Totals(1500, 500, acked, deleted, 500),
        new Summary.Pushes(times, times),
        duplicates,
        0,
        new Summary.Retention(3, 0),
        replay,
        List.of(verdicts));
  }
}
