package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.model.Counts;
import dev.tidemark.retention.it.model.Cursor;
import dev.tidemark.retention.it.model.Facts;
import dev.tidemark.retention.it.model.Hashes;
import dev.tidemark.retention.it.model.PartitionRow;
import dev.tidemark.retention.it.model.Segment;
import dev.tidemark.retention.it.model.Stamps;
import dev.tidemark.retention.it.support.Sql;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** The tables as they are after an action, and what the server stamped in it. */
final class Look implements Stamps {
  private static final String QUEUES =
      """
      select name,
             jsonb_build_object('retentionEnabled', retention_enabled, 'retentionSeconds', retention_seconds,
                 'completedRetentionSeconds', completed_retention_seconds, 'maxWaitTimeSeconds', max_wait_time_seconds,
                 'dedupWindowSeconds', dedup_window_seconds, 'leaseTime', lease_time, 'retryLimit', retry_limit) as options
        from queen.queues where name = any (?)
      """;
  private static final String PARTITIONS =
      """
      select p.*, q.name as queue from queen.log_partitions p join queen.queues q on q.id = p.queue_id where q.name = any (?)
      """;
  private static final String OTHERS =
      """
      select partition_id, transaction_id as name, 0::bigint as rows, 0::bigint as segments, 0::bigint as messages, 'letter' as kind
        from queen.log_dlq where partition_id = any (?)
      union all
      select partition_id, key, 0, 0, 0, 'stream' from queen_streams.state where partition_id = any (?)
      union all
      select partition_id, retention_type, count(*), sum(segments_deleted)::bigint, sum(messages_deleted)::bigint, 'history'
        from queen.retention_history where partition_id = any (?) group by 1, 2
      order by 6, 1, 2
      """;

  /** The server's clock when all had been read. */
  final Instant clock;

  private final Instant before;
  private final Map<Address, UUID> ids = new HashMap<>();
  private final Map<UUID, PartitionRow> rows = new LinkedHashMap<>();
  private final Map<UUID, List<Segment>> segments = new HashMap<>();
  private final Map<UUID, SortedMap<String, Cursor>> cursors = new HashMap<>();
  private final SortedMap<String, Object> facts = new TreeMap<>();

  /**
   * Looks at these queues, and at every partition that they ever had.
   *
   * @param before the clock before the action
   */
  Look(Sql sql, String[] queues, Names names, Instant before) {
    this.before = before;
    sql.rows(QUEUES, (Object) queues)
        .forEach(
            r ->
                facts.put(
                    Facts.queue((String) r.get("name")), Json.options((Object) r.get("options"))));
    for (Map<String, Object> r : sql.rows(PARTITIONS, (Object) queues)) {
      UUID id = (UUID) r.get("id");
      Address address = new Address((String) r.get("queue"), (String) r.get("name"));
      ids.put(address, id);
      names.give(id, address);
      PartitionRow row =
          new PartitionRow(
              (long) r.get("last_offset"),
              (long) r.get("log_start"),
              (long) r.get("txns_start"),
              (Instant) r.get("oldest_live_at"),
              (Instant) r.get("oldest_txn_at"),
              (Instant) r.get("last_created_at"),
              (Instant) r.get("last_write_at"),
              (Instant) r.get("created_at"));
      rows.put(id, row);
      facts.put(Facts.partition(names.of(id)), row);
    }
    UUID[] known = names.ids();
    readSegments(sql, known, names);
    readSidecar(sql, known, names);
    readCursors(sql, known, names);
    readOthers(sql, known, names);
    this.clock = sql.value("select clock_timestamp()");
  }

  private void readSegments(Sql sql, UUID[] known, Names names) {
    for (Map<String, Object> r :
        sql.rows(
            "select partition_id, base_offset, end_offset, created_at, blob from queen.log_segments"
                + " where partition_id = any (?) order by 1, 2",
            (Object) known)) {
      UUID id = (UUID) r.get("partition_id");
      Segment segment =
          new Segment(
              (long) r.get("base_offset"),
              (long) r.get("end_offset"),
              (Instant) r.get("created_at"),
              Names.wordsIn((byte[]) r.get("blob")));
      segments.computeIfAbsent(id, i -> new ArrayList<>()).add(segment);
      facts.put(Facts.segment(names.of(id), segment.base()), segment);
    }
  }

  private void readSidecar(Sql sql, UUID[] known, Names names) {
    for (Map<String, Object> r :
        sql.rows(
            "select partition_id, base_offset, end_offset, created_at, hashes from queen.log_txns"
                + " where partition_id = any (?)",
            (Object) known)) {
      Hashes hashes =
          new Hashes(
              (long) r.get("base_offset"),
              (long) r.get("end_offset"),
              (Instant) r.get("created_at"),
              names.words((byte[]) r.get("hashes")));
      facts.put(Facts.hashes(names.of((UUID) r.get("partition_id")), hashes.base()), hashes);
    }
  }

  private void readCursors(Sql sql, UUID[] known, Names names) {
    for (Map<String, Object> r :
        sql.rows(
            "select * from queen.log_consumers where partition_id = any (?)", (Object) known)) {
      UUID id = (UUID) r.get("partition_id");
      String group = (String) r.get("consumer_group");
      Cursor cursor =
          new Cursor(
              (long) r.get("committed"),
              (Long) r.get("batch_end"),
              (String) r.get("worker_id"),
              (Instant) r.get("lease_expires_at"),
              (Instant) r.get("lease_acquired_at"),
              (int) r.get("batch_retry_count"),
              (long) r.get("total_consumed"),
              (Instant) r.get("created_at"));
      cursors.computeIfAbsent(id, i -> new TreeMap<>()).put(group, cursor);
      facts.put(Facts.cursor(names.of(id), group), cursor);
    }
  }

  private void readOthers(Sql sql, UUID[] known, Names names) {
    Map<String, List<String>> letters = new TreeMap<>();
    for (Map<String, Object> r : sql.rows(OTHERS, known, known, known)) {
      String partition = names.of((UUID) r.get("partition_id"));
      String name = (String) r.get("name");
      switch ((String) r.get("kind")) {
        case "letter" ->
            letters.computeIfAbsent(Facts.deadLetters(partition), p -> new ArrayList<>()).add(name);
        case "stream" -> facts.put(Facts.streamState(partition), true);
        default ->
            facts.put(
                Facts.history(partition, name),
                new Counts(
                    (long) r.get("rows"), (long) r.get("segments"), (long) r.get("messages")));
      }
    }
    facts.putAll(letters);
  }

  SortedMap<String, Object> facts() {
    return facts;
  }

  Map<UUID, PartitionRow> rows() {
    return rows;
  }

  List<Segment> segments(UUID id) {
    return segments.getOrDefault(id, List.of());
  }

  /** The offset up to which every group is through; -1 where there is none. */
  long slowest(UUID id) {
    return cursors.getOrDefault(id, new TreeMap<>()).values().stream()
        .mapToLong(Cursor::committed)
        .min()
        .orElse(-1);
  }

  @Override
  public Instant clock() {
    return clock;
  }

  @Override
  public Instant now() {
    return before;
  }

  @Override
  public UUID partition(Address address) {
    return there(ids.get(address), "a partition " + address);
  }

  @Override
  public Instant created(UUID id) {
    return fresh(there(rows.get(id), "that partition").createdAt());
  }

  @Override
  public Instant lastWrite(UUID id) {
    return fresh(there(rows.get(id), "that partition").lastWriteAt());
  }

  @Override
  public Instant newestSegment(UUID id) {
    List<Segment> live = segments(id);
    if (live.isEmpty()) {
      throw new AssertionError("nothing was pushed");
    }
    return fresh(live.get(live.size() - 1).createdAt());
  }

  @Override
  public Instant joined(UUID id, String group) {
    return fresh(cursor(id, group).createdAt());
  }

  @Override
  public Instant leased(UUID id, String group) {
    return fresh(there(cursor(id, group).acquiredAt(), "a lease of " + group));
  }

  @Override
  public boolean remains(UUID id) {
    return rows.containsKey(id);
  }

  private Cursor cursor(UUID id, String group) {
    return there(cursors.getOrDefault(id, new TreeMap<>()).get(group), "a cursor of " + group);
  }

  private Instant fresh(Instant stamp) {
    if (stamp.isBefore(before) || stamp.isAfter(clock)) {
      throw new AssertionError("stamped %s, not between %s and %s".formatted(stamp, before, clock));
    }
    return stamp;
  }

  private static <T> T there(T thing, String what) {
    if (thing == null) {
      throw new AssertionError("the database does not have " + what);
    }
    return thing;
  }
}
