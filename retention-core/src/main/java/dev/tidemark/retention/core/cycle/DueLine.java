package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.plan.DuePartition;
import dev.tidemark.retention.core.plan.Lane;
import dev.tidemark.retention.core.plan.Position;
import dev.tidemark.retention.core.plan.QueueRule;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * One queue's due partitions in one lane, oldest first: those at hand, and then, if they may not be
 * all, page by page. A page is read when it is needed.
 */
final class DueLine {
  /**
   * Entries of a page, and looked at in one turn: so a queue that waits holds no page in memory.
   */
  static final int PAGE = 2_000;

  private final Lane lane;
  private final QueueRule rule;
  private final boolean scan;
  private final Deque<DuePartition> ahead;
  private Optional<Position> last;
  private boolean more;

  private DueLine(
      Lane lane,
      QueueRule rule,
      List<DuePartition> atHand,
      Optional<Position> last,
      boolean scan,
      boolean more) {
    this.lane = lane;
    this.rule = rule;
    this.ahead = new ArrayDeque<>(atHand);
    this.last = last;
    this.scan = scan;
    this.more = more;
  }

  /**
   * @param listed what the work list holds of this lane
   * @param more whether the index may hold more
   * @param resumed where the list began, if not at the head
   */
  static DueLine of(
      Lane lane,
      QueueRule rule,
      List<DuePartition> listed,
      boolean more,
      Optional<Position> resumed) {
    Optional<Position> last =
        listed.isEmpty() ? resumed : Optional.of(listed.get(listed.size() - 1).position());
    return new DueLine(lane, rule, listed, last, true, more);
  }

  /** What earlier cycles found deletable in the consumption lane, and have not finished. */
  static DueLine unfinished(QueueRule rule, List<DuePartition> entries) {
    return new DueLine(Lane.CONSUMPTION, rule, entries, Optional.empty(), false, false);
  }

  /** Whether only the cursors tell which of its entries are worth a visit. */
  boolean needsProbes() {
    return scan && lane == Lane.CONSUMPTION;
  }

  /** Whether the next entry has to be read first. */
  boolean needsPage() {
    return ahead.isEmpty() && more;
  }

  /** The next entries, at most so many; none at the end. */
  List<DuePartition> peek(RetentionDatabase database, int most) {
    if (needsPage()) {
      List<DuePartition> page = database.duePage(lane, rule, last, PAGE);
      more = page.size() == PAGE;
      ahead.addAll(page);
      if (!page.isEmpty()) {
        last = Optional.of(page.get(page.size() - 1).position());
      }
    }
    return ahead.stream().limit(most).toList();
  }

  /** The first entry has been dealt with. */
  void pass() {
    ahead.removeFirst();
  }

  /** The lane's cutoff in this cycle. */
  Instant cutoff() {
    return lane.range(rule).orElseThrow().cutoff();
  }

  boolean ended() {
    return ahead.isEmpty() && !more;
  }

  /** The age of the next entry, or of the last one while the next is not read. */
  Instant watermark() {
    DuePartition next = ahead.peekFirst();
    return next != null ? next.watermark() : last.map(Position::watermark).orElse(Instant.MIN);
  }
}
