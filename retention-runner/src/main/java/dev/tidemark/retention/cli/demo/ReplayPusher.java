package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.demo.ReplaySchedule.Due;
import dev.tidemark.retention.sql.BrokerGateway.Segment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Pushes segments of a file when they are due. What is due together goes in one push, as far as it
 * is of distinct partitions; so one that is behind catches up with larger pushes.
 */
final class ReplayPusher implements PushLoop {
  private static final int MOST_SEGMENTS = 16;

  private final String queue;
  private final List<Due> due;

  ReplayPusher(String queue, ReplaySchedule schedule) {
    this.queue = queue;
    this.due = schedule.due();
  }

  @Override
  public void run(Sender sender, Stop stop) throws InterruptedException {
    long start = System.nanoTime();
    int next = 0;
    while (next < due.size() && stop.pauseUntil(start + due.get(next).at().toNanos())) {
      int end = togetherFrom(next, System.nanoTime() - start);
      List<Segment> segments = new ArrayList<>();
      for (Due d : due.subList(next, end)) {
        segments.add(
            new Segment(
                queue,
                d.partition(),
                d.segment().messageCount(),
                d.segment().hashes(),
                sender.seen(queue, d.partition()),
                d.segment().blob()));
      }
      sender.push(segments);
      next = end;
    }
  }

  private int togetherFrom(int first, long elapsed) {
    Set<String> partitions = new HashSet<>();
    int end = first;
    while (end < due.size()
        && end - first < MOST_SEGMENTS
        && due.get(end).at().toNanos() <= elapsed
        && partitions.add(due.get(end).partition())) {
      end++;
    }
    return Math.max(end, first + 1);
  }
}
