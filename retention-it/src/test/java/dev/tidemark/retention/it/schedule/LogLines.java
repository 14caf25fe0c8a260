package dev.tidemark.retention.it.schedule;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What the logger {@code retention} says from now on, down to DEBUG. */
public final class LogLines implements AutoCloseable {
  private final Logger logger = (Logger) LoggerFactory.getLogger("retention");
  private final Level before = logger.getLevel();
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          events.add(event);
        }
      };

  public LogLines() {
    appender.start();
    logger.addAppender(appender);
    logger.setLevel(Level.DEBUG);
  }

  /** Lines that begin so, in order. */
  public List<String> beginning(String words) {
    return events.stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(line -> line.startsWith(words))
        .toList();
  }

  /** Levels of the lines that begin so. */
  public List<Level> levels(String words) {
    return events.stream()
        .filter(e -> e.getFormattedMessage().startsWith(words))
        .map(ILoggingEvent::getLevel)
        .toList();
  }

  /** The first line that begins so, once it is there. */
  public String awaited(String words) {
    Fleet.until(words, () -> !beginning(words).isEmpty());
    return beginning(words).get(0);
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setLevel(before);
  }
}
