package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.events.PackedEvents;
import dev.tidemark.retention.cli.events.PackedPartition;
import dev.tidemark.retention.sql.StatusGateway.Windows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What a demo does: its queues, who pushes, and for how long.
 *
 * <p>The windows shrink with a short demo so that each of its rules has something to delete. Two
 * groups read: {@value #FAST} everything at once, {@value #SLOW} in rounds, in which it takes at
 * most a queue's {@code slowBatch} of each partition.
 */
public final class Scenario {
  static final String FAST = "fast";
  static final String SLOW = "slow";

  /** Pushing threads of either kind of scenario. */
  static final int PUSHERS = 3;

  private static final int PARTITIONS = 16;
  private static final long SEED = 20260914;

  /** So that the last events are seen to age. */
  private static final double REPLAYED_IN = 0.9;

  /**
   * What the slow group reads of a file's average partition: in busier ones it falls behind, and
   * rule 1 takes the rest.
   */
  private static final double SLOW_SHARE = 0.6;

  private static final int TRICKLE = 3;
  private static final int ALL = 5_000;

  private final Duration length;
  private final List<QueuePlan> queues;
  private final List<PushLoop> pushers;
  private final long fileMessages;

  private Scenario(
      Duration length, List<QueuePlan> queues, List<PushLoop> pushers, long fileMessages) {
    this.length = length;
    this.queues = List.copyOf(queues);
    this.pushers = List.copyOf(pushers);
    this.fileMessages = fileMessages;
  }

  /**
   * Made-up traffic: of orders the slow group reads next to nothing, so that rule 1 takes them; of
   * payments everything in the end, so that rule 2 does; clicks wait for nobody.
   *
   * <p>Orders get older than their window: what rule 2 found held back, the cycle does not visit
   * for some cycles, and rule 1 with it.
   */
  public static Scenario invented(Duration length) {
    List<String> partitions =
        IntStream.rangeClosed(1, PARTITIONS).mapToObj(i -> String.format("p%02d", i)).toList();
    Windows scale = windows(length);
    List<QueuePlan> queues =
        List.of(
            new QueuePlan(
                "orders",
                new Windows(true, scale.retention(), scale.completedRetention(), 0),
                partitions,
                TRICKLE),
            new QueuePlan(
                "payments", new Windows(true, 0, scale.completedRetention(), 0), partitions, ALL),
            new QueuePlan("clicks", new Windows(false, 0, 0, scale.maxWait()), partitions, 0));
    Zipf skew = new Zipf(PARTITIONS);
    return new Scenario(
        length,
        queues,
        List.of(
            new Pusher("pusher-1", queues, skew, SEED),
            new Pusher("pusher-2", queues, skew, SEED + 1),
            new MultiPusher("multi-pusher-1", queues, skew, SEED + 2)),
        0);
  }

  /**
   * The events of a file in the order of their times, as fast as it takes to fit them into the
   * demo.
   */
  public static Scenario replay(PackedEvents events, Duration length) {
    Windows scale = windows(length);
    double rounds = length.toNanos() / (double) slowPause(scale).toNanos();
    double each = events.messageCount() / rounds / Math.max(1, events.partitions().size());
    QueuePlan queue =
        new QueuePlan(
            "replay",
            new Windows(true, scale.retention(), scale.completedRetention(), 0),
            events.partitions().stream().map(PackedPartition::name).toList(),
            1 + (int) Math.min(ALL, SLOW_SHARE * each));
    Duration over = Duration.ofNanos((long) (length.toNanos() * REPLAYED_IN));
    List<PushLoop> pushers = new ArrayList<>();
    ReplaySchedule.of(events, over)
        .split(PUSHERS)
        .forEach(part -> pushers.add(new ReplayPusher(queue.name(), part)));
    return new Scenario(length, List.of(queue), pushers, events.messageCount());
  }

  private static Windows windows(Duration length) {
    long seconds = length.toSeconds();
    return new Windows(
        true, within(2, seconds / 3, 10), within(1, seconds / 10, 3), within(1, seconds / 5, 6));
  }

  private static int within(int least, long value, int most) {
    return (int) Math.min(most, Math.max(least, value));
  }

  Duration length() {
    return length;
  }

  List<QueuePlan> queues() {
    return queues;
  }

  List<PushLoop> pushers() {
    return pushers;
  }

  Duration slowPause() {
    return slowPause(windows(length));
  }

  /** Half of what rule 2 waits anyway, so that it seldom comes for nothing. */
  private static Duration slowPause(Windows scale) {
    return Duration.ofSeconds(scale.completedRetention()).dividedBy(2);
  }

  /** What a file holds; empty where there is none. */
  Optional<Long> fileMessages() {
    return fileMessages == 0 ? Optional.empty() : Optional.of(fileMessages);
  }
}
