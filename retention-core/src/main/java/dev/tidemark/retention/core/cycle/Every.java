package dev.tidemark.retention.core.cycle;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Lets something through at most once a period; the first time at once. In memory: a restart may
 * let it through once more.
 */
public final class Every {
  private final Duration period;
  private final Clock clock;
  private @Nullable Instant last;

  public Every(Duration period, Clock clock) {
    this.period = period;
    this.clock = clock;
  }

  /** Whether the period has passed; if so, it begins anew. */
  public boolean isDue() {
    Instant now = clock.instant();
    // A clock that was set back says nothing about when the last time was.
    if (last != null && !now.isBefore(last) && now.isBefore(last.plus(period))) {
      return false;
    }
    last = now;
    return true;
  }
}
