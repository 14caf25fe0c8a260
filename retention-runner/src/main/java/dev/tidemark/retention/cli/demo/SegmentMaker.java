package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.events.FrameCodec;
import dev.tidemark.retention.cli.events.MessageHash;
import dev.tidemark.retention.sql.BrokerGateway.Segment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;

/** Makes up segments; no two messages of one maker, or of two, are the same. Not thread-safe. */
final class SegmentMaker {
  private static final int MOST_MESSAGES = 12;

  private final String by;
  private final Random random;
  private long made;

  SegmentMaker(String by, Random random) {
    this.by = by;
    this.random = random;
  }

  /**
   * @param verified what the sender has seen of the partition: new messages are not in it
   */
  Segment make(String queue, String partition, OptionalLong verified) {
    int messages = 1 + random.nextInt(MOST_MESSAGES);
    List<byte[]> frames = new ArrayList<>(messages);
    byte[] hashes = new byte[messages * MessageHash.LENGTH];
    for (int i = 0; i < messages; i++) {
      made++;
      String json =
          "{\"by\":\"" + by + "\",\"nr\":" + made + ",\"cents\":" + random.nextInt(100_000) + "}";
      byte[] frame = json.getBytes(StandardCharsets.UTF_8);
      byte[] hash = MessageHash.of(partition, made, frame);
      System.arraycopy(hash, 0, hashes, i * MessageHash.LENGTH, MessageHash.LENGTH);
      frames.add(frame);
    }
    return new Segment(queue, partition, messages, hashes, verified, FrameCodec.encode(frames));
  }
}
