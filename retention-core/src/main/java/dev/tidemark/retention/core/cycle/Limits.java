package dev.tidemark.retention.core.cycle;

import java.time.Duration;

/** Until when, and as long as it is permitted: looked at before every step. */
record Limits(Deadline deadline, Permission permission) {
  boolean allow() {
    return !deadline.passed() && !permission.withdrawn();
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
