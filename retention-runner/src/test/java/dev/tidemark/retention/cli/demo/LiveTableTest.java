package dev.tidemark.retention.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.cli.demo.Frame.GroupRates;
import dev.tidemark.retention.cli.demo.Frame.Pin;
import dev.tidemark.retention.cli.demo.Frame.QueueLine;
import dev.tidemark.retention.cli.demo.Latencies.Quantiles;
import dev.tidemark.retention.cli.demo.Ledger.Duplicates;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LiveTableTest {

  @Test
  void numbersStandBelowEachOther() {
    assertThat(LiveTable.lines(frame("orders", 1, 12)))
        .containsExactly(
            "12 s of 30 s, 11 cycles, 3 of 3 repeated segments refused",
            "",
            "messages/s  pushed  fast popped  acked  slow popped  acked  push ms p50  p99  max",
            "orders         500          480    470           40     40          1.2  9.9  123",
            "",
            "deleted by  retention  completed  max wait  segments  messages  oldest  pinned by  messages",
            "orders          1,001          1         0        12     1,012   9.9 s       slow     1,000");
  }

  @Test
  void noLineIsWiderThanTheTableMayBeHoweverLargeItsNumbers() {
    assertThat(LiveTable.lines(frame("a-queue-with-a-name-as-long-as-this-one", 100_000, 12)))
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(LiveTable.WIDTH));
    assertThat(LiveTable.lines(frame("payments", 1000, 3599)))
        .as("of an hour, uncut")
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(LiveTable.WIDTH));
  }

  @Test
  void aSecondFrameGoesOverTheFirstLineByLine() {
    LiveTable table = new LiveTable();

    assertThat(table.redraw(frame("orders", 1, 1))).doesNotContain("\u001b[7A");
    String second = table.redraw(frame("orders", 1, 2));

    assertThat(second)
        .startsWith("\u001b[?7l\u001b[7A\r2 s of 30 s")
        .endsWith("\u001b[J\u001b[?7h");
    assertThat(second.lines().filter(line -> line.endsWith("\u001b[K"))).hasSize(7);
  }

  @Test
  void aQueueThatIsEmptyHasNoAgeAndNoPin() {
    Frame empty =
        new Frame(
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            0,
            new Duplicates(0, 0, 0),
            List.of(
                new QueueLine(
                    "q",
                    0,
                    List.of(),
                    new Quantiles(0, 0, 0, 0),
                    0,
                    0,
                    Optional.empty(),
                    List.of(0L, 0L, 0L),
                    Optional.empty())));

    assertThat(LiveTable.lines(empty).get(6)).containsPattern("q +0 +0 +0 +0 +0 +- +- +-");
  }

  @Test
  void withoutATerminalAFrameIsOneLine() {
    assertThat(LiveTable.oneLine(frame("orders", 1, 12)))
        .isEqualTo(
            "12 s of 30 s: 500 messages/s pushed, 1,012 live, 1,002 segments deleted in 11 cycles");
  }

  private static Frame frame(String queue, long scale, long seconds) {
    return new Frame(
        Duration.ofSeconds(seconds),
        Duration.ofSeconds(30),
        11,
        new Duplicates(3, 3, 0),
        List.of(
            new QueueLine(
                queue,
                500,
                List.of(new GroupRates("fast", 480, 470), new GroupRates("slow", 40.4, 39.6)),
                new Quantiles(10, 1.24, 9.87, 123.4),
                12 * scale,
                1012 * scale,
                Optional.of(Duration.ofMillis(9_900)),
                List.of(1001 * scale, scale, 0L),
                Optional.of(new Pin("slow", 1000 * scale)))));
  }
}
