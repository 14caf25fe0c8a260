package dev.tidemark.retention.cli.demo;

import java.util.List;
import java.util.Random;

/** Pushes one segment at a time, queue by queue, into a partition as {@link Zipf} chooses. */
final class Pusher implements PushLoop {
  private static final int PUSHES_A_SECOND = 60;

  private final String name;
  private final List<QueuePlan> queues;
  private final Zipf skew;
  private final Random random;

  Pusher(String name, List<QueuePlan> queues, Zipf skew, long seed) {
    this.name = name;
    this.queues = queues;
    this.skew = skew;
    this.random = new Random(seed);
  }

  @Override
  public void run(Sender sender, Stop stop) throws InterruptedException {
    SegmentMaker maker = new SegmentMaker(name, random);
    Pace pace = new Pace(PUSHES_A_SECOND);
    for (int turn = 0; pace.next(stop); turn++) {
      QueuePlan queue = queues.get(turn % queues.size());
      String partition = queue.partitions().get(skew.choose(random));
      sender.push(
          List.of(maker.make(queue.name(), partition, sender.seen(queue.name(), partition))));
    }
  }
}
