package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.demo.Watch.Finding;
import dev.tidemark.retention.cli.demo.Watch.Unread;
import dev.tidemark.retention.sql.AuditGateway;
import dev.tidemark.retention.sql.AuditGateway.Cursor;
import dev.tidemark.retention.sql.AuditGateway.Deletion;
import dev.tidemark.retention.sql.AuditGateway.PartitionCursors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Every invariant, once traffic and retention stand still: what the tables say by themselves, held
 * against what the demo pushed and acked, what it saw meanwhile, and what the history says.
 *
 * <p>In one partition the history's counts add up from offset 0, since nothing of it is purged or
 * rolled up within a demo: so each deletion is a range of offsets with the rule that took it.
 */
final class InvariantCheck {
  private static final String BY_TABLES = "log_invariants_v1() at the end";
  private static final int PAGE = 10_000;

  private final AuditGateway audit;
  private final Ledger ledger;
  private final Watch watch;
  private final Map<UUID, String> names = new HashMap<>();
  private final Map<Integer, List<String>> broken = new TreeMap<>();

  InvariantCheck(AuditGateway audit, Ledger ledger, Watch watch) {
    this.audit = audit;
    this.ledger = ledger;
    this.watch = watch;
  }

  /**
   * What became of one invariant.
   *
   * @param result OK or BROKEN
   * @param checkedBy what was compared, and so what was not
   * @param broken what was found, with the partition
   */
  public record Verdict(int invariant, String result, String checkedBy, List<String> broken) {
    boolean holds() {
      return broken.isEmpty();
    }
  }

  /**
   * @param last the look after everything has stopped
   */
  List<Verdict> verdicts(Look last) {
    last.partitions()
        .forEach(
            (queue, partitions) ->
                partitions.forEach(p -> names.put(p.id(), queue + "/" + p.name())));
    audit.brokenInvariants().forEach(b -> found(b.invariant(), b.partitionId(), b.broken()));
    for (Finding moved : watch.movedBack()) {
      found(2, moved.partition(), moved.what());
    }
    last.partitions()
        .forEach(
            (queue, partitions) -> {
              Map<UUID, List<Deletion>> deletions = deletions(queue);
              for (PartitionCursors p : partitions) {
                offsets(queue, p);
                cursors(p);
                history(p, deletions.getOrDefault(p.id(), List.of()));
              }
            });
    return List.of(
        verdict(1, BY_TABLES),
        verdict(2, "log_start, txns_start and last_offset in " + watch.looks() + " looks"),
        verdict(3, BY_TABLES + "; offsets given out = messages pushed"),
        verdict(4, BY_TABLES + ", over what is left"),
        verdict(
            5, "rule 2 took nothing that a look saw gone before all had acked it; cursors = acks"),
        verdict(6, BY_TABLES),
        verdict(7, "messages pushed - live = messages in the history, by partition"),
        verdict(8, "no two deletions share a transaction; row locks do not show from outside"));
  }

  private Verdict verdict(int invariant, String checkedBy) {
    List<String> found = broken.getOrDefault(invariant, List.of());
    return new Verdict(invariant, found.isEmpty() ? "OK" : "BROKEN", checkedBy, found);
  }

  private void found(int invariant, UUID partition, String what) {
    broken
        .computeIfAbsent(invariant, i -> new ArrayList<>())
        .add(names.getOrDefault(partition, partition.toString()) + ": " + what);
  }

  private Map<UUID, List<Deletion>> deletions(String queue) {
    Map<UUID, List<Deletion>> byPartition = new HashMap<>();
    OptionalLong after = OptionalLong.empty();
    while (true) {
      List<Deletion> page = audit.deletions(queue, after, PAGE);
      for (Deletion d : page) {
        if (Rule.ALL.contains(d.rule())) {
          byPartition.computeIfAbsent(d.partitionId(), id -> new ArrayList<>()).add(d);
        }
      }
      if (page.size() < PAGE) {
        return byPartition;
      }
      after = OptionalLong.of(page.get(page.size() - 1).id());
    }
  }

  private void offsets(String queue, PartitionCursors p) {
    long pushed = ledger.messages(queue, p.name());
    if (p.lastOffset() + 1 != pushed) {
      found(
          3,
          p.id(),
          "last_offset is " + p.lastOffset() + ", but " + pushed + " messages were pushed");
    }
  }

  private void cursors(PartitionCursors p) {
    for (Cursor cursor : p.cursors()) {
      long acked = ledger.committed(p.id(), cursor.group()).orElse(-1);
      if (cursor.committed() != acked) {
        found(
            5,
            p.id(),
            "group "
                + cursor.group()
                + " has committed "
                + cursor.committed()
                + ", but acked "
                + acked);
      }
    }
  }

  private void history(PartitionCursors p, List<Deletion> deletions) {
    long from = 0;
    for (Deletion d : deletions) {
      long to = from + d.messages();
      for (Unread unread : watch.unread(p.id())) {
        if (d.rule().equals(Rule.COMPLETED) && from < unread.to() && unread.from() < to) {
          found(
              5,
              p.id(),
              "completed_retention deleted offsets "
                  + from
                  + " to "
                  + (to - 1)
                  + ", of which a group had not acked "
                  + unread.from()
                  + " to "
                  + (unread.to() - 1));
        }
      }
      from = to;
    }
    if (from != p.logStart()) {
      found(7, p.id(), p.logStart() + " messages are deleted, but the history counts " + from);
    }
  }
}
