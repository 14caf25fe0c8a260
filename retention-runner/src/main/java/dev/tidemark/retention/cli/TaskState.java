package dev.tidemark.retention.cli;

import dev.tidemark.retention.sql.StatusGateway.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How a task of the schedule stands at a moment of the database's clock, and what is wrong. */
record TaskState(TaskStatus task, Instant now) {
  /** Overdue by more: no runner of this period sleeps so long, nor works so long in good health. */
  private static final int OVERDUE_PERIODS = 10;

  /** Whatever the period, a day without a cycle is worth a word. */
  private static final Duration LONGEST_SILENCE = Duration.ofDays(1);

  /** Who has claimed a task; not {@code live}: the lease is past, and the task is free. */
  record Lease(String holder, Instant until, boolean live) {}

  Optional<Lease> leased() {
    String holder = task.holder();
    Instant until = task.leaseUntil();
    return holder == null || until == null
        ? Optional.empty()
        : Optional.of(new Lease(holder, until, until.isAfter(now)));
  }

  /** One word or two for the table. */
  String word() {
    if (!task.enabled()) {
      return "PAUSED";
    }
    if (leased().isPresent()) {
      return leased().get().live() ? "running" : "lease ran out";
    }
    if (onlyByHand()) {
      return "by once";
    }
    return task.nextDueAt().isAfter(now) ? "waits" : "due";
  }

  /** What somebody should look into. */
  List<String> warnings() {
    if (!task.enabled()) {
      return List.of("is PAUSED: nobody runs it until 'retention resume " + task.task() + "'");
    }
    List<String> warnings = new ArrayList<>();
    Optional<Lease> lease = leased();
    lease
        .filter(l -> !l.live())
        .ifPresent(
            l ->
                warnings.add(
                    "was left behind by " + l.holder() + ": the lease ran out at " + l.until()));
    if (lease.filter(Lease::live).isEmpty() && !onlyByHand() && overdue()) {
      warnings.add(overdueBecause());
    } else if (silent()) {
      warnings.add("has ended no cycle well since " + task.lastEndAt());
    }
    return warnings;
  }

  private String overdueBecause() {
    Instant started = task.lastStartAt();
    String ended =
        task.lastEndAt() == null
            ? "; no cycle has ended well yet"
            : "; the last cycle that ended well did so at " + task.lastEndAt();
    return started != null && unfinished() && started.isAfter(before(patience()))
        ? "is due since "
            + task.nextDueAt()
            + " and was begun last at "
            + started
            + ": its cycles fail, see the runner's log"
            + ended
        : "is due since " + task.nextDueAt() + ": no runner serves it" + ended;
  }

  /** Only {@code once} has run it: the schedule is nobody's, so it cannot be late. */
  private boolean onlyByHand() {
    return task.runs() == 0 && task.lastEndAt() != null && task.holder() == null && !unfinished();
  }

  /** The cycle that was begun last has not ended well. */
  private boolean unfinished() {
    Instant started = task.lastStartAt();
    Instant ended = task.lastEndAt();
    return started != null && (ended == null || started.isAfter(ended));
  }

  private boolean overdue() {
    return task.nextDueAt().isBefore(before(patience()));
  }

  private boolean silent() {
    Duration most = patience().compareTo(LONGEST_SILENCE) > 0 ? patience() : LONGEST_SILENCE;
    return task.lastEndAt() != null && task.lastEndAt().isBefore(before(most));
  }

  private Duration patience() {
    return Duration.ofMillis(task.periodMs()).multipliedBy(OVERDUE_PERIODS);
  }

  private Instant before(Duration span) {
    return now.minus(span);
  }
}
