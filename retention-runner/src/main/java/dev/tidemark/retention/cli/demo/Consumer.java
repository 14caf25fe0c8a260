package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.events.FrameCodec;
import dev.tidemark.retention.sql.BrokerGateway;
import dev.tidemark.retention.sql.BrokerGateway.Popped;
import dev.tidemark.retention.sql.BrokerGateway.Reader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** One worker of a group. It opens every blob, and acks a batch when it is through. */
final class Consumer {
  private static final int BATCH_MESSAGES = 1000;
  private static final int LEASE_SECONDS = 60;
  private static final Duration FAST_PAUSE = Duration.ofMillis(20);

  private final BrokerGateway broker;
  private final Ledger ledger;
  private final Reader reader;

  Consumer(BrokerGateway broker, Ledger ledger, Reader reader) {
    this.broker = broker;
    this.ledger = ledger;
    this.reader = reader;
  }

  /** Keeps up: reads whatever partition has work, and rests only when none has. */
  void keepUp(List<QueuePlan> queues, Stop stop) throws InterruptedException {
    while (!stop.requested()) {
      long read = 0;
      for (QueuePlan queue : queues) {
        read += batch(queue.name(), Optional.empty(), BATCH_MESSAGES);
      }
      if (read == 0) {
        stop.pauseUntil(System.nanoTime() + FAST_PAUSE.toNanos());
      }
    }
  }

  /** Wakes up now and then, and reads a little or much of every partition in turn. */
  void wakeUpEvery(Duration pause, List<QueuePlan> queues, Stop stop) throws InterruptedException {
    while (stop.pauseUntil(System.nanoTime() + pause.toNanos())) {
      for (QueuePlan queue : queues) {
        for (String partition : queue.partitions()) {
          if (queue.slowBatch() > 0 && !stop.requested()) {
            batch(queue.name(), Optional.of(partition), queue.slowBatch());
          }
        }
      }
    }
  }

  /** Reads and acks one batch; how many messages it had. */
  private long batch(String queue, Optional<String> partition, int most) {
    List<Popped> batch = broker.pop(queue, partition, reader, most, OptionalInt.of(LEASE_SECONDS));
    if (batch.isEmpty()) {
      return 0;
    }
    long messages = 0;
    for (Popped segment : batch) {
      long held = segment.endOffset() - segment.baseOffset() + 1;
      int opened = FrameCodec.decode(segment.blob()).size();
      if (opened != held) {
        throw new IllegalStateException(
            "a segment of " + held + " messages holds " + opened + " frames");
      }
      messages += segment.toOffset() - segment.fromOffset() + 1;
    }
    ledger.popped(queue, reader.group(), messages);
    Popped last = batch.get(batch.size() - 1);
    if (broker.ack(last.partitionId(), reader, last.toOffset()).acked()) {
      ledger.acked(queue, reader.group(), last.partitionId(), messages, last.toOffset());
    } else {
      ledger.ackRefused();
    }
    return messages;
  }
}
