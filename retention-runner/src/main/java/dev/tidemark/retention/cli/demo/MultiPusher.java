package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.sql.BrokerGateway.Segment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Pushes into two partitions of every queue in one transaction. */
final class MultiPusher implements PushLoop {
  private static final int PUSHES_A_SECOND = 12;
  private static final int PARTITIONS_A_QUEUE = 2;

  private final String name;
  private final List<QueuePlan> queues;
  private final Zipf skew;
  private final Random random;

  MultiPusher(String name, List<QueuePlan> queues, Zipf skew, long seed) {
    this.name = name;
    this.queues = queues;
    this.skew = skew;
    this.random = new Random(seed);
  }

  @Override
  public void run(Sender sender, Stop stop) throws InterruptedException {
    SegmentMaker maker = new SegmentMaker(name, random);
    Pace pace = new Pace(PUSHES_A_SECOND);
    while (pace.next(stop)) {
      List<Segment> segments = new ArrayList<>();
      for (QueuePlan queue : queues) {
        // The partitions of one call are distinct.
        Set<String> partitions = new LinkedHashSet<>();
        while (partitions.size() < PARTITIONS_A_QUEUE) {
          partitions.add(queue.partitions().get(skew.choose(random)));
        }
        for (String partition : partitions) {
          segments.add(maker.make(queue.name(), partition, sender.seen(queue.name(), partition)));
        }
      }
      sender.push(segments);
    }
  }
}
