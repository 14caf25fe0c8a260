package dev.tidemark.retention.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.core.plan.Phase;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Failures are named in the log, but do not fill it. */
@NullUnmarked
class FailureLogTest {
  private static final StepFailedException FAILURE = new StepFailedException("no", "P0001", null);

  private final Logger logger = (Logger) LoggerFactory.getLogger("retention");
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final FakeDatabase database = new FakeDatabase();
  private final TestClock clock = new TestClock();
  private final RetentionCycle cycle =
      new RetentionCycle(
          database, database, (width, worker) -> worker.run(), Knobs.defaults(), clock);

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
    logger.setAdditive(false);
  }

  @AfterEach
  void listenNoMore() {
    logger.detachAppender(log);
    logger.setAdditive(true);
  }

  @Test
  void tenFailingPartitionsACycleAreNamed() {
    for (int i = 0; i < 12; i++) {
      database.poison.put(database.due(Phase.RETENTION, 1), FAILURE);
    }
    run();
    assertThat(warnings()).hasSize(10).allMatch(w -> w.contains("phase 1 partition"));
  }

  @Test
  void aFailingMetricsPurgeIsNamedOnceAMinute() {
    database.metricsFailure = FAILURE;
    run();
    run();
    assertThat(warnings()).containsExactly("metrics purge failed sqlstate=P0001 error=\"no\"");
    clock.pass(Duration.ofMinutes(1));
    run();
    assertThat(warnings()).hasSize(2);
  }

  @Test
  void aFailingRollUpIsNamedOnceAMinuteBesideAFailingPurge() {
    database.metricsFailure = FAILURE;
    database.rollUpFailure = FAILURE;
    run();
    run();
    assertThat(warnings())
        .containsExactly(
            "history roll-up failed sqlstate=P0001 error=\"no\"",
            "metrics purge failed sqlstate=P0001 error=\"no\"");
    clock.pass(Duration.ofMinutes(1));
    run();
    assertThat(warnings()).hasSize(4);
  }

  private void run() {
    cycle.run(Permission.unscheduled(new StopSignal()), Progress.UNWATCHED);
  }

  private List<String> warnings() {
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
