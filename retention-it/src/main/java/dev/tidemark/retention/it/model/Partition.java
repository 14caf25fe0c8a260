package dev.tidemark.retention.it.model;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One ordered log, its sidecar and its cursors. */
public final class Partition {
  final UUID id;
  final Address address;
  private Instant createdAt;
  private Instant lastWriteAt;
  private long lastOffset = -1;
  private long logStart;
  private @Nullable Instant lastCreatedAt;
  private List<Segment> segments = new ArrayList<>();
  private Sidecar sidecar = new Sidecar();
  private final SortedMap<String, Cursor> cursors = new TreeMap<>();
  private final List<String> everyWord = new ArrayList<>();

  Partition(UUID id, Address address, Instant createdAt, Instant lastWriteAt) {
    this.id = id;
    this.address = address;
    this.createdAt = createdAt;
    this.lastWriteAt = lastWriteAt;
  }

  Partition copy() {
    Partition copy = new Partition(id, address, createdAt, lastWriteAt);
    copy.lastOffset = lastOffset;
    copy.logStart = logStart;
    copy.lastCreatedAt = lastCreatedAt;
    copy.segments.addAll(segments);
    copy.sidecar = sidecar.copy();
    copy.cursors.putAll(cursors);
    copy.everyWord.addAll(everyWord);
    return copy;
  }

  public PartitionRow row() {
    return new PartitionRow(
        lastOffset,
        logStart,
        sidecar.start(),
        oldestLiveAt(),
        sidecar.oldestAt(),
        lastCreatedAt,
        lastWriteAt,
        createdAt);
  }

  public List<Segment> segments() {
    return List.copyOf(segments);
  }

  public List<Hashes> sidecar() {
    return sidecar.rows();
  }

  public SortedMap<String, Cursor> cursors() {
    return cursors;
  }

  /** All that was ever appended, by offset, whether or not it is still there. */
  public List<String> everyWord() {
    return everyWord;
  }

  public Address address() {
    return address;
  }

  public UUID id() {
    return id;
  }

  @Nullable Instant oldestLiveAt() {
    return segments.isEmpty() ? null : segments.get(0).createdAt();
  }

  Answer push(List<String> words, @Nullable Long verified, int dedupSeconds, Stamps stamps) {
    if (dedupSeconds > 0) {
      List<Answer.Dup> dups = dups(words, verified, stamps.now().minusSeconds(dedupSeconds));
      if (!dups.isEmpty()) {
        return new Answer.Duplicate(dups);
      }
    }
    Instant stamp = stamps.newestSegment(id);
    long base = append(stamp, words);
    if (!stamp.isBefore(lastWriteAt.plusSeconds(1))) {
      lastWriteAt = stamp;
    }
    return new Answer.Queued(base, stamp);
  }

  /** The pushed messages that the sidecar has since then, or that the push has twice. */
  List<Answer.Dup> dups(List<String> words, @Nullable Long verified, Instant since) {
    long known = verified != null && verified <= lastOffset ? verified : -1;
    return sidecar.dups(words, known + 1, lastOffset, since);
  }

  private long append(Instant stamp, List<String> words) {
    long base = lastOffset + 1;
    lastOffset += words.size();
    lastCreatedAt = stamp;
    everyWord.addAll(words);
    segments.add(new Segment(base, lastOffset, stamp, List.copyOf(words)));
    sidecar.append(new Hashes(base, lastOffset, stamp, List.copyOf(words)));
    return base;
  }

  Answer load(List<Instant> times, List<List<String>> words, Stamps stamps) {
    Instant floor = lastCreatedAt;
    for (Instant time : times) {
      if ((floor != null && time.isBefore(floor)) || time.isAfter(stamps.clock())) {
        return new Answer.Refused("22023");
      }
      floor = time;
    }
    long base = lastOffset + 1;
    for (int i = 0; i < times.size(); i++) {
      append(times.get(i), words.get(i));
    }
    lastWriteAt = stamps.lastWrite(id);
    return new Answer.Imported(base, lastOffset, times.size());
  }

  /**
   * Rules 1 and 2: whole segments from the head, at most a batch, by the rule that goes further.
   */
  Answer.Stepped step(
      @Nullable Instant all, @Nullable Instant completed, int maxRows, @Nullable String type) {
    long consumed = cursors.values().stream().mapToLong(Cursor::committed).min().orElse(-1);
    int byAge = Math.min(maxRows, head(s -> all != null && s.createdAt().isBefore(all)));
    int old = Math.min(maxRows, head(s -> completed != null && s.createdAt().isBefore(completed)));
    int byConsumption = Math.min(old, head(s -> s.end() <= consumed));

    int gone = Math.max(byAge, byConsumption);
    if (gone == 0) {
      return new Answer.Stepped(0, logStart, true, 0, null);
    }
    boolean consumptionWentFurther = Math.min(consumed + 1, startAfter(old)) > startAfter(byAge);
    String rule = consumptionWentFurther ? "completed_retention" : "retention";
    boolean more = gone == maxRows && segments.size() > maxRows;
    long messages = segments.subList(0, gone).stream().mapToLong(Segment::messages).sum();
    logStart = startAfter(gone);
    segments = new ArrayList<>(segments.subList(gone, segments.size()));
    return new Answer.Stepped(gone, logStart, !more, messages, type == null ? rule : type);
  }

  private int head(Predicate<Segment> goes) {
    return (int) segments.stream().takeWhile(goes).count();
  }

  private long startAfter(int count) {
    return count == 0 ? logStart : segments.get(count - 1).end() + 1;
  }

  Answer.Purged purge(@Nullable Instant cutoff, int maxRows) {
    return sidecar.purge(cutoff, maxRows);
  }

  /** Whether a pop of any partition would come here. */
  boolean hasWork(String group, Instant now) {
    Cursor cursor = cursors.get(group);
    return !segments.isEmpty()
        && (cursor == null || (lastOffset > cursor.committed() && !cursor.leased(now)));
  }

  /** The next messages after the cursor that are still there, whatever was deleted between. */
  List<Answer.Leased> pop(String group, String worker, int max, int seconds, Stamps stamps) {
    Cursor cursor = cursors.get(group);
    if (cursor == null) {
      cursor = Cursor.joined(-1, stamps.joined(id, group));
      cursors.put(group, cursor);
    }
    if (cursor.leased(stamps.now()) || segments.isEmpty() || cursor.committed() >= lastOffset) {
      return List.of();
    }
    long from = Math.max(logStart, cursor.committed() + 1);
    long to = Math.min(lastOffset, from + max - 1);
    cursors.put(group, cursor.leasedTo(worker, to, stamps.leased(id, group), seconds));
    return segments.stream()
        .filter(s -> s.end() >= from && s.base() <= to)
        .map(
            s ->
                new Answer.Leased(
                    id,
                    Math.max(from, s.base()),
                    Math.min(to, s.end()),
                    s.base(),
                    s.end(),
                    s.createdAt(),
                    s.words()))
        .toList();
  }

  Answer.Acked ack(String group, String worker, long offset) {
    Cursor cursor = cursors.get(group);
    if (cursor == null) {
      return new Answer.Acked(false, null);
    }
    if (!cursor.acks(worker, offset)) {
      return new Answer.Acked(false, cursor.committed());
    }
    Cursor acked = cursor.acked(offset);
    cursors.put(group, acked);
    return new Answer.Acked(true, acked.committed());
  }

  /** The message is looked for in the batch, then in what is committed. */
  Answer.Acked ackWord(String group, String worker, String word) {
    Cursor cursor = cursors.get(group);
    if (cursor == null) {
      return new Answer.Acked(false, null);
    }
    long end = cursor.batchEnd() == null ? cursor.committed() : cursor.batchEnd();
    Long offset = sidecar.offsetOf(word, cursor.committed() + 1, end, Instant.MIN);
    if (offset == null) {
      offset = sidecar.offsetOf(word, 0, cursor.committed(), Instant.MIN);
    }
    return offset == null
        ? new Answer.Acked(false, cursor.committed())
        : ack(group, worker, offset);
  }

  Answer seek(String group, long offset, Stamps stamps) {
    if (offset < 0 || offset > lastOffset + 1) {
      return new Answer.Refused("22023");
    }
    Cursor cursor = cursors.get(group);
    cursors.put(
        group,
        cursor == null ? Cursor.joined(offset - 1, stamps.joined(id, group)) : cursor.at(offset));
    return new Answer.Sought(offset - 1);
  }

  public void wrote(Instant time) {
    lastWriteAt = time;
  }

  public void created(Instant time) {
    createdAt = time;
  }

  Instant lastWriteAt() {
    return lastWriteAt;
  }

  /** Silent and empty: all of the cleanup's vetoes that lie in the partition itself. */
  boolean isDead(Instant cutoff) {
    return segments.isEmpty()
        && lastWriteAt.isBefore(cutoff)
        && createdAt.isBefore(cutoff)
        && cursors.values().stream().noneMatch(c -> c.vetoes(cutoff));
  }

  void age(Duration by) {
    createdAt = createdAt.minus(by);
    lastWriteAt = lastWriteAt.minus(by);
    lastCreatedAt = lastCreatedAt == null ? null : lastCreatedAt.minus(by);
    segments.replaceAll(s -> s.aged(by));
    sidecar.age(by);
    cursors.replaceAll((group, cursor) -> cursor.aged(by));
  }
}
