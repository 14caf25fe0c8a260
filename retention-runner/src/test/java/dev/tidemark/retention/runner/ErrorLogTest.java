package dev.tidemark.retention.runner;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ErrorLogTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger("retention");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final ErrorLog errors = new ErrorLog("retention", clock());

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(lines);
  }

  @Test
  void anHourOfFailuresIsALineEveryThirtySecondsWithTheNumberKeptBack() {
    for (int second = 0; second < 3_600; second += 5) {
      errors.failed(new DatabaseUnavailableException("connection refused", "08001", null));
      now = now.plusSeconds(5);
    }

    assertThat(said()).hasSize(120);
    assertThat(said().get(0))
        .isEqualTo(
            "cycle failed task=retention sqlstate=08001 error=\"connection refused\" suppressed=0");
    assertThat(said().subList(1, 120)).allMatch(line -> line.endsWith("suppressed=5"));
  }

  @Test
  void justUnderThirtySecondsIsKeptBack() {
    errors.failed(new IllegalStateException("first"));
    now = now.plus(Duration.ofSeconds(30).minusMillis(1));
    errors.failed(new IllegalStateException("second"));
    now = now.plusMillis(1);
    errors.failed(new IllegalStateException("third"));

    assertThat(said()).hasSize(2);
    assertThat(said().get(1)).contains("third").contains("suppressed=1");
  }

  @Test
  void aFaultOfOursBringsItsTrace() {
    errors.failed(new IllegalStateException("a bug"));

    assertThat(lines.list.get(0).getThrowableProxy().getMessage()).isEqualTo("a bug");
  }

  private List<String> said() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private Clock clock() {
    return new Clock() {
      @Override
      public Instant instant() {
        return now;
      }

      @Override
      public ZoneOffset getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(java.time.ZoneId zone) {
        return this;
      }
    };
  }
}
