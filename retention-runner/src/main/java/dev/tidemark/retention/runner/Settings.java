package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.knob.Knobs;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** What a service was built with. */
record Settings(
    DataSource dataSource,
    Knobs knobs,
    Clock clock,
    MaintenanceLane lane,
    String holder,
    Schedule.LeaseBounds bounds,
    Consumer<CycleOutcome> listener) {

  Schedule schedule(Duration period) {
    return Schedule.of(period, bounds);
  }
}
