package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.Every;
import dev.tidemark.retention.core.database.DatabaseException;
import java.time.Clock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Errors of one task: a line at most every 30 s, with how many were kept back since the last. A
 * database that is away for an hour does not fill the log.
 */
final class ErrorLog {
  private static final Logger LOG = LoggerFactory.getLogger("retention");
  private static final Duration PERIOD = Duration.ofSeconds(30);

  private final String task;
  private final Every line;
  private long suppressed;

  ErrorLog(String task, Clock clock) {
    this.task = task;
    this.line = new Every(PERIOD, clock);
  }

  synchronized void failed(Throwable e) {
    if (!line.isDue()) {
      suppressed++;
      return;
    }
    if (e instanceof DatabaseException failure) {
      LOG.error(
          "cycle failed task={} sqlstate={} error=\"{}\" suppressed={}",
          task,
          failure.sqlState(),
          failure.getMessage(),
          suppressed);
    } else {
      // A fault of ours: the trace belongs to it.
      LOG.error("cycle failed task={} error=\"{}\" suppressed={}", task, e, suppressed, e);
    }
    suppressed = 0;
  }
}
