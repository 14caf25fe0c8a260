package dev.tidemark.retention.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.retention.runner.Schedule.LeaseBounds;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleTest {
  @ParameterizedTest(name = "period {0} ms")
  @CsvSource({
    "1000, 500, 60000",
    "5000, 500, 60000",
    "5010, 501, 60000",
    "30000, 3000, 60000",
    "30001, 3000, 60002",
    "600000, 60000, 1200000",
    "900000, 60000, 1800000",
    "86400000, 60000, 1800000",
  })
  void pollIsATenthAndLeaseTwiceThePeriodWithinTheirBounds(long period, long poll, long lease) {
    Schedule schedule = Schedule.of(Duration.ofMillis(period), LeaseBounds.DEFAULT);

    assertThat(schedule.poll().toMillis()).isEqualTo(poll);
    assertThat(schedule.lease()).isEqualTo(Duration.ofMillis(lease));
    assertThat(schedule.heartbeat()).isEqualTo(Duration.ofMillis(lease).dividedBy(3));
  }

  @Test
  void theBoundsOfTheLeaseCanBeGiven() {
    LeaseBounds bounds = new LeaseBounds(Duration.ofMillis(1), Duration.ofSeconds(3));

    assertThat(Schedule.of(Duration.ofSeconds(1), bounds).lease()).isEqualTo(Duration.ofSeconds(2));
    assertThat(Schedule.of(Duration.ofSeconds(5), bounds).lease()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void boundsThatAreNoneAreRefused() {
    assertThatThrownBy(() -> new LeaseBounds(Duration.ZERO, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new LeaseBounds(Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT2S .. PT1S");
  }
}
