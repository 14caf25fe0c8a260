package dev.tidemark.retention.it.step;

import java.time.Instant;
import java.util.List;

/**
 * A cutoff beside the time of one of some rows, in microseconds: at 0 the row survives, at 1 it may
 * go.
 */
public record Cut(int percent, long micros) {
  public Instant of(List<Instant> times, Instant otherwise) {
    Instant time = times.isEmpty() ? otherwise : times.get((times.size() - 1) * percent / 100);
    return time.plusNanos(micros * 1_000);
  }

  @Override
  public String toString() {
    return micros + " µs past the row at " + percent + " %";
  }
}
