package dev.tidemark.retention.it.model;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Everything in the schema that the functions of broker and retention read and write. */
public final class Log {
  private static final String GONE = "TM004";
  private static final String NO_QUEUE = "TM003";

  private final SortedMap<String, Queue> queues = new TreeMap<>();
  private final Map<UUID, List<String>> deadLetters = new HashMap<>();
  private final Set<UUID> streams = new HashSet<>();
  private final Map<UUID, SortedMap<String, Counts>> history = new HashMap<>();

  private static final class Queue {
    Options options = Options.DEFAULTS;
    final SortedMap<String, Partition> partitions = new TreeMap<>();
  }

  /** What a transaction works on, so that it can be undone. */
  public Log copy() {
    Log copy = new Log();
    queues.forEach(
        (name, queue) -> {
          Queue twin = new Queue();
          twin.options = queue.options;
          queue.partitions.forEach((p, partition) -> twin.partitions.put(p, partition.copy()));
          copy.queues.put(name, twin);
        });
    deadLetters.forEach((id, letters) -> copy.deadLetters.put(id, new ArrayList<>(letters)));
    copy.streams.addAll(streams);
    history.forEach((id, counts) -> copy.history.put(id, new TreeMap<>(counts)));
    return copy;
  }

  /** By name. */
  public SortedMap<String, Options> queues() {
    SortedMap<String, Options> options = new TreeMap<>();
    queues.forEach((name, queue) -> options.put(name, queue.options));
    return options;
  }

  /** In order of their ids, as the server compares them. */
  public List<Partition> partitions() {
    return queues.values().stream()
        .flatMap(q -> q.partitions.values().stream())
        .sorted(Comparator.comparing(p -> p.id.toString()))
        .toList();
  }

  public @Nullable Partition at(Address address) {
    Queue queue = queues.get(address.queue());
    return queue == null ? null : queue.partitions.get(address.partition());
  }

  public Map<UUID, List<String>> deadLetters() {
    return deadLetters;
  }

  public Set<UUID> streams() {
    return streams;
  }

  /** What went, by partition and type; it outlives its partition. */
  public Map<UUID, SortedMap<String, Counts>> history() {
    return history;
  }

  Stream<Partition> byId(UUID id) {
    return partitions().stream().filter(p -> p.id().equals(id));
  }

  @Nullable Cursor cursor(UUID id, String group) {
    return byId(id).findFirst().map(p -> p.cursors().get(group)).orElse(null);
  }

  public Answer configure(String name, Map<String, @Nullable Object> edit) {
    Queue queue = queues.computeIfAbsent(name, n -> new Queue());
    queue.options = queue.options.merged(edit);
    return new Answer.Configured(queue.options.values());
  }

  /** Segments, cursors, sidecar and dead letters go; history and stream state stay. */
  public Answer deleteQueue(String name) {
    Queue queue = queues.remove(name);
    if (queue == null) {
      return new Answer.QueueDeleted(false, 0);
    }
    queue.partitions.values().forEach(p -> deadLetters.remove(p.id));
    return new Answer.QueueDeleted(true, queue.partitions.size());
  }

  /** First contact makes queue and partition. */
  public Partition provision(Address address, Stamps stamps) {
    Queue queue = queues.computeIfAbsent(address.queue(), n -> new Queue());
    Partition there = queue.partitions.get(address.partition());
    if (there != null) {
      return there;
    }
    UUID id = stamps.partition(address);
    Instant created = stamps.created(id);
    Partition made = new Partition(id, address, created, created);
    queue.partitions.put(address.partition(), made);
    return made;
  }

  /** Also where the answer is that all of it is there already: the partition is provisioned. */
  public Answer push(Address address, List<String> words, @Nullable Long verified, Stamps stamps) {
    Partition partition = provision(address, stamps);
    int window = dedupSeconds(address);
    return partition.push(words, verified, window, stamps);
  }

  int dedupSeconds(Address address) {
    Queue queue = queues.get(address.queue());
    return queue == null ? 0 : queue.options.seconds("dedupWindowSeconds");
  }

  public Answer load(UUID id, List<Instant> times, List<List<String>> words, Stamps stamps) {
    return byId(id)
        .findFirst()
        .map(p -> p.load(times, words, stamps))
        .orElseGet(() -> new Answer.Refused(GONE));
  }

  /** A NULL partition: any that has work, the oldest data first. */
  public Answer pop(
      String name,
      @Nullable String partition,
      String group,
      String worker,
      int max,
      @Nullable Integer seconds,
      Stamps stamps) {
    Queue queue = queues.get(name);
    if (queue == null) {
      return new Answer.Refused(NO_QUEUE);
    }
    int lease = seconds == null ? queue.options.seconds("leaseTime") : seconds;
    Stream<Partition> tried =
        partition != null
            ? Stream.ofNullable(queue.partitions.get(partition))
            : queue.partitions.values().stream()
                .filter(p -> p.hasWork(group, stamps.now()))
                .sorted(
                    Comparator.comparing((Partition p) -> p.segments().get(0).createdAt())
                        .thenComparing(p -> p.id.toString()));
    return new Answer.Popped(
        tried
            .map(p -> p.pop(group, worker, max, lease, stamps))
            .filter(batch -> !batch.isEmpty())
            .findFirst()
            .orElse(List.of()));
  }

  public Answer ack(UUID id, String group, String worker, long offset) {
    return byId(id)
        .findFirst()
        .map(p -> p.ack(group, worker, offset))
        .orElseGet(() -> new Answer.Acked(false, null));
  }

  public Answer ackWord(UUID id, String group, String worker, String word) {
    return byId(id)
        .findFirst()
        .map(p -> p.ackWord(group, worker, word))
        .orElseGet(() -> new Answer.Acked(false, null));
  }

  public Answer seek(UUID id, String group, long offset, Stamps stamps) {
    return byId(id)
        .findFirst()
        .map(p -> p.seek(group, offset, stamps))
        .orElseGet(() -> new Answer.Refused(GONE));
  }

  public Answer deleteGroup(String name, String group) {
    Queue queue = queues.get(name);
    if (queue == null) {
      return new Answer.Refused(NO_QUEUE);
    }
    return new Answer.Deleted(
        queue.partitions.values().stream().filter(p -> p.cursors().remove(group) != null).count());
  }

  public Answer putDeadLetter(UUID id, String transaction) {
    if (byId(id).findFirst().isEmpty()) {
      return new Answer.Refused(GONE);
    }
    deadLetters.computeIfAbsent(id, i -> new ArrayList<>()).add(transaction);
    return new Answer.Done();
  }

  public Answer deleteDeadLetter(UUID id, String transaction) {
    List<String> letters = deadLetters.getOrDefault(id, new ArrayList<>());
    long gone = letters.stream().filter(transaction::equals).count();
    letters.removeIf(transaction::equals);
    if (letters.isEmpty()) {
      deadLetters.remove(id);
    }
    return new Answer.Deleted(gone);
  }

  public Answer keepStreamState(UUID id, boolean there) {
    if (there) {
      streams.add(id);
    } else {
      streams.remove(id);
    }
    return new Answer.Done();
  }

  /** A worker of a broker that knows no expiry. */
  public Answer forgetExpiry(UUID id, String group) {
    byId(id).forEach(p -> p.cursors().computeIfPresent(group, (g, c) -> c.endingAt(null)));
    return new Answer.Done();
  }

  /** What takes something from it by rule. */
  public Retention retention() {
    return new Retention(this);
  }

  void remove(Address address) {
    Queue queue = queues.get(address.queue());
    if (queue != null) {
      queue.partitions.remove(address.partition());
    }
  }

  void record(UUID id, String type, long segments, long messages) {
    history
        .computeIfAbsent(id, i -> new TreeMap<>())
        .merge(
            type,
            Counts.NONE.plus(segments, messages),
            (before, one) -> before.plus(segments, messages));
  }

  /** So much time passes: everything there is gets older. */
  public Answer age(Duration by) {
    partitions().forEach(p -> p.age(by));
    return new Answer.Done();
  }
}
