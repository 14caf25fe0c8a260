package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.model.Partition;
import dev.tidemark.retention.it.model.PartitionRow;
import dev.tidemark.retention.it.model.Segment;
import java.time.Instant;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/**
 * Every message that went, as seen in the tables, not in the model: each goes once, and below
 * log_start all have gone; and none that a cursor had not committed, unless age alone was enough.
 */
final class Deletions {
  private final Map<UUID, BitSet> gone = new HashMap<>();

  Deletions copy() {
    Deletions copy = new Deletions();
    gone.forEach((id, offsets) -> copy.gone.put(id, (BitSet) offsets.clone()));
    return copy;
  }

  void restore(Deletions copy) {
    gone.clear();
    gone.putAll(copy.gone);
  }

  void between(Look before, Look after, List<Partition> there, Function<Address, Instant> age) {
    for (Partition partition : there) {
      UUID id = partition.id();
      Map<Long, Segment> left = new HashMap<>();
      after.segments(id).forEach(s -> left.put(s.base(), s));
      for (Segment segment : before.segments(id)) {
        if (!left.containsKey(segment.base())) {
          boolean byAge = segment.createdAt().isBefore(age.apply(partition.address()));
          if (!byAge && segment.end() > before.slowest(id)) {
            throw new AssertionError(
                "%s went, but a cursor of %s was at %d"
                    .formatted(segment, partition.address(), before.slowest(id)));
          }
          count(id, segment);
        }
      }
      PartitionRow row = after.rows().get(id);
      BitSet all = gone.computeIfAbsent(id, i -> new BitSet());
      if (row == null || all.cardinality() != row.logStart() || all.length() != row.logStart()) {
        throw new AssertionError(
            "of %s went %s, but the row is %s".formatted(partition.address(), all, row));
      }
    }
  }

  private void count(UUID id, Segment segment) {
    BitSet all = gone.computeIfAbsent(id, i -> new BitSet());
    int from = (int) segment.base();
    int to = (int) segment.end() + 1;
    if (!all.get(from, to).isEmpty()) {
      throw new AssertionError(segment + " went twice");
    }
    all.set(from, to);
  }
}
