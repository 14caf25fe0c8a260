package dev.tidemark.retention.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tidemark.retention.cli.demo.Latencies.Quantiles;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LatenciesTest {
  private final Latencies latencies = new Latencies();

  @Test
  void aHundredDifferentTimesHaveTheirQuantiles() {
    for (int ms = 1; ms <= 100; ms++) {
      latencies.record("push", TimeUnit.MILLISECONDS.toNanos(ms));
    }

    Quantiles q = latencies.of("push");
    assertThat(q.count()).isEqualTo(100);
    assertThat(q.p50Ms()).isCloseTo(50, within(0.1));
    assertThat(q.p99Ms()).isCloseTo(99, within(0.1));
    assertThat(q.maxMs()).isCloseTo(100, within(0.1));
  }

  @Test
  void namesAreApartAndOneThatNobodyRecordedHasNone() {
    latencies.record("push", 1_000_000);

    assertThat(latencies.of("pop")).isEqualTo(new Quantiles(0, 0, 0, 0));
  }

  @Test
  void whatTakesLongerThanAMinuteCountsAsOne() {
    latencies.record("push", TimeUnit.HOURS.toNanos(1));

    assertThat(latencies.of("push").maxMs()).isCloseTo(60_000, within(60.0));
  }
}
