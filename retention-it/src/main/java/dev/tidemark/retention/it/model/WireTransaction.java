package dev.tidemark.retention.it.model;

import java.util.ArrayList;
import java.util.List;

/** Consume here and produce there, exactly once. */
public final class WireTransaction {
  private WireTransaction() {}

  /** One message to each and some acks: all of it, or nothing at all. */
  public static Answer on(
      Log log, List<Address> to, List<String> words, List<Ack> acks, Stamps stamps) {
    List<String> dups = new ArrayList<>();
    for (int i = 0; i < to.size(); i++) {
      Partition partition = log.at(to.get(i));
      int window = log.dedupSeconds(to.get(i));
      if (partition != null && window > 0) {
        for (Answer.Dup dup :
            partition.dups(List.of(words.get(i)), null, stamps.now().minusSeconds(window))) {
          dups.add("push %d i %d off %s".formatted(i, dup.i(), dup.off()));
        }
      }
    }
    List<String> refused = new ArrayList<>();
    for (int i = 0; i < acks.size(); i++) {
      Ack ack = acks.get(i);
      Cursor cursor = log.cursor(ack.partition(), ack.group());
      if (cursor == null || !cursor.leases(ack.worker(), ack.offset())) {
        refused.add("ack %d committed %s".formatted(i, cursor == null ? null : cursor.committed()));
      }
    }
    if (!dups.isEmpty()) {
      return new Answer.Duplicates(dups);
    }
    if (!refused.isEmpty()) {
      return new Answer.NotAcked(refused);
    }
    List<Answer> pushed = new ArrayList<>();
    for (int i = 0; i < to.size(); i++) {
      pushed.add(log.push(to.get(i), List.of(words.get(i)), null, stamps));
    }
    List<Answer> acked = new ArrayList<>();
    acks.forEach(a -> acked.add(log.ack(a.partition(), a.group(), a.worker(), a.offset())));
    return new Answer.Committed(pushed, acked);
  }
}
