package dev.tidemark.retention.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * While a command shows by itself what cycles do, a log line of each would only disturb: warnings
 * alone pass. The level that somebody asked for by the environment stays.
 */
final class QuietLog implements AutoCloseable {
  private final @Nullable Logger logger =
      System.getenv("RETENTION_LOG_LEVEL") == null
              && LoggerFactory.getLogger("retention") instanceof Logger logback
          ? logback
          : null;
  private final @Nullable Level before = logger == null ? null : logger.getLevel();

  QuietLog() {
    if (logger != null) {
      logger.setLevel(Level.WARN);
    }
  }

  /** For good: a command that a signal ends has no more to say of what fails by it. */
  static void endAll() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logback) {
      logback.stop();
    }
  }

  @Override
  public void close() {
    if (logger != null) {
      logger.setLevel(before);
    }
  }
}
