package dev.tidemark.retention.it.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What retention does to a {@link Log}: steps, cleanup, walk, and a cycle of them. */
public final class Retention {
  private static final String EVICTION = "max_wait_time_eviction";

  private final Log log;

  Retention(Log log) {
    this.log = log;
  }

  public Answer.Stepped step(
      UUID id, @Nullable Instant all, @Nullable Instant completed, int maxRows) {
    return step(id, all, completed, maxRows, null);
  }

  public Answer.Stepped evict(UUID id, @Nullable Instant cutoff, int maxRows) {
    return step(id, cutoff, null, maxRows, EVICTION);
  }

  private Answer.Stepped step(
      UUID id,
      @Nullable Instant all,
      @Nullable Instant completed,
      int maxRows,
      @Nullable String type) {
    Answer.Stepped stepped =
        log.byId(id)
            .findFirst()
            .map(p -> p.step(all, completed, maxRows, type))
            .orElseGet(() -> new Answer.Stepped(0, null, true, 0, null));
    if (stepped.type() != null) {
      log.record(id, stepped.type(), stepped.deleted(), stepped.messages());
    }
    return stepped;
  }

  public Answer.Purged purge(UUID id, @Nullable Instant cutoff, int maxRows) {
    return log.byId(id)
        .findFirst()
        .map(p -> p.purge(cutoff, maxRows))
        .orElseGet(() -> new Answer.Purged(0, null, true));
  }

  public boolean isDead(UUID id, @Nullable Instant cutoff) {
    return cutoff != null
        && !log.deadLetters().containsKey(id)
        && !log.streams().contains(id)
        && log.byId(id).anyMatch(p -> p.isDead(cutoff));
  }

  /** The longest silent first. */
  public Answer.Cleaned cleanup(@Nullable Instant cutoff, int maxRows, Stamps stamps) {
    List<Partition> dead =
        log.partitions().stream()
            .filter(p -> isDead(p.id, cutoff))
            .sorted(
                Comparator.comparing(Partition::lastWriteAt)
                    .thenComparing(p -> stamps.remains(p.id)))
            .toList();
    List<Partition> gone = dead.subList(0, Math.min(maxRows, dead.size()));
    for (Partition partition : gone) {
      log.remove(partition.address);
      log.record(partition.id, "__partition_deleted__", 0, 0);
    }
    return new Answer.Cleaned(gone.size(), dead.size() < maxRows);
  }

  /** What a walk answers where these watermarks are wrong; the right ones are derived here. */
  public Answer.Walked walk(@Nullable UUID after, int maxRows, Set<UUID> torn) {
    List<UUID> page =
        log.partitions().stream()
            .map(p -> p.id)
            .filter(id -> after == null || id.toString().compareTo(after.toString()) > 0)
            .limit(maxRows)
            .toList();
    return new Answer.Walked(
        page.size(),
        page.stream().filter(torn::contains).count(),
        0,
        page.isEmpty() ? after : page.get(page.size() - 1),
        page.size() < maxRows);
  }

  /** One whole cycle, as the windows stand now: the drains go to their end. */
  public Answer.Swept cycle(Duration cleanupAfter, int maxRows, Stamps stamps) {
    Instant now = stamps.now();
    long segments = 0;
    long hashes = 0;
    long evicted = 0;
    for (Partition partition : log.partitions()) {
      Options options = log.queues().getOrDefault(partition.address.queue(), Options.DEFAULTS);
      segments += step(partition.id, options.all(now), options.completed(now), maxRows).deleted();
      hashes += purge(partition.id, options.hashes(now), maxRows).deleted();
      evicted += evict(partition.id, options.maxWait(now), maxRows).deleted();
    }
    long partitions = cleanup(now.minus(cleanupAfter), maxRows, stamps).deleted();
    return new Answer.Swept(segments, evicted, hashes, partitions, 0);
  }
}
