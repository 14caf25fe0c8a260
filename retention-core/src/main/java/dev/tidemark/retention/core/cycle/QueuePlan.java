package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.plan.QueueRule;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/** One queue's lines in one phase, read one after the other until its places are taken. */
final class QueuePlan {
  /**
   * Whose turn it is: the oldest next entry's, but a queue that has cost a page of probes more than
   * another one waits for it. Otherwise one with many held partitions would take all probes.
   */
  static final Comparator<QueuePlan> NEXT =
      Comparator.comparing((QueuePlan q) -> q.probes / DueLine.PAGE)
          .thenComparing(QueuePlan::watermark);

  private final QueueRule rule;
  private final Deque<DueLine> lines;
  private int places;
  private int probes;
  private boolean stopped;

  /**
   * @param lines oldest first
   * @param places visits it may have
   */
  QueuePlan(QueueRule rule, List<DueLine> lines, int places) {
    this.rule = rule;
    this.lines = new ArrayDeque<>(lines);
    this.places = places;
  }

  QueueRule rule() {
    return rule;
  }

  /** The line that is being read. */
  DueLine line() {
    return lines.getFirst();
  }

  void lineEnded() {
    lines.removeFirst();
  }

  boolean hasPlaces() {
    return places > 0;
  }

  void placeTaken() {
    places--;
  }

  void probed(int heads) {
    probes += heads;
  }

  /** Nothing more of it in this cycle. */
  void stop() {
    stopped = true;
  }

  boolean done() {
    return stopped || places == 0 || lines.isEmpty();
  }

  private Instant watermark() {
    return line().watermark();
  }
}
