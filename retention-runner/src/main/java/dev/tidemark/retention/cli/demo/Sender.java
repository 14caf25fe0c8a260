package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.sql.BrokerGateway;
import dev.tidemark.retention.sql.BrokerGateway.Duplicate;
import dev.tidemark.retention.sql.BrokerGateway.Pushed;
import dev.tidemark.retention.sql.BrokerGateway.Queued;
import dev.tidemark.retention.sql.BrokerGateway.Segment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Pushes for one thread: measures, writes what was answered into the ledger, and now and then
 * repeats a push as a client does that missed the answer. Not thread-safe.
 */
final class Sender {
  private static final int REPEAT_EVERY = 25;
  private static final int ATTEMPTS = 3;
  private static final String PARTITION_VANISHED = "TM007";

  private final BrokerGateway broker;
  private final Ledger ledger;
  private final Latencies latencies;
  private final Map<PartitionKey, Long> seen = new HashMap<>();
  private int pushes;

  Sender(BrokerGateway broker, Ledger ledger, Latencies latencies) {
    this.broker = broker;
    this.ledger = ledger;
    this.latencies = latencies;
  }

  /**
   * The last offset this sender knows to be given out: a message made after that cannot be at or
   * below it.
   */
  OptionalLong seen(String queue, String partition) {
    Long offset = seen.get(new PartitionKey(queue, partition));
    return offset == null ? OptionalLong.empty() : OptionalLong.of(offset);
  }

  /** One segment by itself, several in one transaction. */
  void push(List<Segment> segments) {
    List<Pushed> answers = call(segments);
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      if (answers.get(i) instanceof Queued queued) {
        seen.put(
            new PartitionKey(segment.queue(), segment.partition()),
            queued.baseOffset() + segment.messages() - 1);
        ledger.pushed(segment);
      } else {
        ledger.refusedThoughNew(segment);
      }
    }
    pushes++;
    if (pushes % REPEAT_EVERY == 0) {
      ledger.repeated(
          segments.size(),
          call(segments).stream().filter(answer -> answer instanceof Duplicate).count());
    }
  }

  private List<Pushed> call(List<Segment> segments) {
    for (int attempt = 1; ; attempt++) {
      long start = System.nanoTime();
      try {
        List<Pushed> answers =
            segments.size() == 1
                ? List.of(broker.push(segments.get(0)))
                : broker.pushMulti(segments);
        long nanos = System.nanoTime() - start;
        latencies.record(segments.size() == 1 ? Latencies.SINGLE : Latencies.MULTI, nanos);
        segments.stream()
            .map(Segment::queue)
            .distinct()
            .forEach(queue -> latencies.record(queue, nanos));
        return answers;
      } catch (StepFailedException e) {
        // Nothing was pushed, and a second push creates the partition anew.
        if (!e.sqlState().equals(PARTITION_VANISHED) || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
