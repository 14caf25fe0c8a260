package dev.tidemark.retention.it.race;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What producers put into a log and what its consumers were handed. Compared at the end, since a
 * message is consumed before its producer has the answer.
 */
public final class Ledger {
  private final Map<Segment, String> pushed = new ConcurrentHashMap<>();
  private final Collection<Handed> handed = new ConcurrentLinkedQueue<>();
  private final Map<String, Set<Long>> received = new ConcurrentHashMap<>();

  /** A segment by what a push answers: a partition that was made anew has other times. */
  record Segment(String partition, long base, Instant createdAt) {}

  private record Handed(Segment segment, String words) {}

  void pushed(String partition, long base, Instant createdAt, String words) {
    assertThat(pushed.put(new Segment(partition, base, createdAt), words))
        .as("an offset of %s given twice", partition)
        .isNull();
  }

  /** A group was handed the messages {@code from} to {@code to} of a segment. */
  void handed(String group, Segment segment, long from, long to, String words) {
    handed.add(new Handed(segment, words));
    Set<Long> offsets = received(group, segment.partition());
    for (long offset = from; offset <= to; offset++) {
      offsets.add(offset);
    }
  }

  /** Every message that anybody was handed is the one that was pushed there. */
  public void requireContent() {
    assertThat(handed)
        .allSatisfy(h -> assertThat(pushed.get(h.segment())).as("%s", h).isEqualTo(h.words()));
  }

  /** Every group got every message of the partition at least once. */
  public void requireDelivery(String partition, String... groups) {
    pushed.forEach(
        (segment, words) -> {
          if (segment.partition().equals(partition)) {
            for (String group : groups) {
              for (int i = 0; i < words.split(" ").length; i++) {
                assertThat(received(group, partition))
                    .as("%s of %s", group, partition)
                    .contains(segment.base() + i);
              }
            }
          }
        });
  }

  private Set<Long> received(String group, String partition) {
    return received.computeIfAbsent(group + " of " + partition, k -> ConcurrentHashMap.newKeySet());
  }
}
