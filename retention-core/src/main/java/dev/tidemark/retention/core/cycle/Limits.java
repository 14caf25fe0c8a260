package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.Claim;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Until when, and as long as it is permitted: looked at before every call. */
record Limits(Deadline deadline, Permission permission) {
  private static final Duration SHORTEST = Duration.ofMillis(1);

  boolean allow() {
    return !deadline.passed() && !permission.withdrawn();
  }

  /** The time left; at least a millisecond, so that work which may begin can do something. */
  Duration left() {
    Duration left = deadline.left();
    return left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
  }

  @Nullable Claim claim() {
    return permission.claim();
  }

  /** These limits, and not longer than {@code time} from now. */
  Limits within(Duration time) {
    return new Limits(deadline.earlier(time), permission);
  }

  /** These limits with the deadline halfway from now. */
  Limits half() {
    return new Limits(deadline.half(), permission);
  }

  /** These limits with the deadline at this share of the budget. */
  Limits share(double share) {
    return new Limits(deadline.share(share), permission);
  }
}
