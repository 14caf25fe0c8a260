package dev.tidemark.retention.it.step;

import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.it.support.TestLog.Segment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Something that happens to one partition. Written so that a shrunk history reads as a story. */
public sealed interface StepAction {
  void on(TestLog log, UUID partition, Instant begin);

  /** A segment, so many minutes after the one before; 0 = at the very same time. */
  record Append(int minutesLater, int messages) implements StepAction {
    @Override
    public void on(TestLog log, UUID partition, Instant begin) {
      List<Segment> live = log.segments(partition);
      Instant last =
          live.isEmpty() ? newest(log, partition, begin) : live.get(live.size() - 1).createdAt();
      log.append(partition, last.plus(Duration.ofMinutes(minutesLater)), messages);
    }

    private static Instant newest(TestLog log, UUID partition, Instant begin) {
      Instant stamp = log.lastCreatedAt(partition);
      return stamp == null ? begin : stamp;
    }
  }

  /**
   * A group puts its cursor at a share of the whole log, in percent: it joins, goes on, or seeks
   * back.
   */
  record Commit(String group, int percent) implements StepAction {
    @Override
    public void on(TestLog log, UUID partition, Instant begin) {
      log.commit(partition, group, (log.row(partition).lastOffset() + 1) * percent / 100 - 1);
    }
  }

  /** Rules 1 and 2 with these cutoffs; null = off. */
  record Step(@Nullable Cut all, @Nullable Cut completed, int maxRows) implements StepAction {
    @Override
    public void on(TestLog log, UUID partition, Instant begin) {
      log.retentionStep(
          partition, at(all, log, partition, begin), at(completed, log, partition, begin), maxRows);
    }
  }

  record Purge(@Nullable Cut cut, int maxRows) implements StepAction {
    @Override
    public void on(TestLog log, UUID partition, Instant begin) {
      log.purgeStep(partition, at(cut, log, partition, begin), maxRows);
    }
  }

  record Evict(@Nullable Cut cut, int maxRows) implements StepAction {
    @Override
    public void on(TestLog log, UUID partition, Instant begin) {
      log.evictStep(partition, at(cut, log, partition, begin), maxRows);
    }
  }

  private static @Nullable Instant at(
      @Nullable Cut cut, TestLog log, UUID partition, Instant begin) {
    return cut == null
        ? null
        : cut.of(log.segments(partition).stream().map(Segment::createdAt).toList(), begin);
  }
}
