package dev.tidemark.retention.it.laws;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.it.model.Ack;
import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.model.Answer;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestPush;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;

/** The functions of the schema as the model has them: the same arguments, the same answers. */
final class Calls {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Sql sql;
  private final DataSource pool;

  Calls(Sql sql, DataSource pool) {
    this.sql = sql;
    this.pool = pool;
  }

  Answer configure(String queue, Map<String, Object> edit) {
    return new Answer.Configured(
        options(sql.json("select queen.configure_queue_v1(?, ?::jsonb)", queue, text(edit))));
  }

  Answer deleteQueue(String queue) {
    JsonNode answer = sql.json("select queen.delete_queue_v1(?)", queue);
    return new Answer.QueueDeleted(
        answer.get("deleted").asBoolean(), answer.get("partitions").asLong());
  }

  Answer push(Address at, List<String> words, Long verified) {
    String[] pushed = words.toArray(String[]::new);
    return pushed(new TestPush(sql).pushVerified(at.queue(), at.partition(), verified, pushed));
  }

  Answer pushMulti(List<Address> at, List<List<String>> words) {
    JsonNode answers =
        sql.json(
            "select queen.log_push_multi_v1(?, ?, ?, ?, ?, ?)",
            at.stream().map(Address::queue).toArray(String[]::new),
            at.stream().map(Address::partition).toArray(String[]::new),
            words.stream().map(List::size).toArray(Integer[]::new),
            hashes(words),
            new Long[at.size()],
            blobs(words));
    return new Answer.Each(each(answers));
  }

  private static List<Answer> each(JsonNode answers) {
    List<Answer> each = new ArrayList<>();
    answers.forEach(a -> each.add(pushed(a)));
    return each;
  }

  private static Answer pushed(JsonNode answer) {
    if (answer.get("status").asText().equals("queued")) {
      return new Answer.Queued(
          answer.get("baseOffset").asLong(), Instant.parse(answer.get("createdAt").asText()));
    }
    List<Answer.Dup> dups = new ArrayList<>();
    answer
        .get("dups")
        .forEach(d -> dups.add(new Answer.Dup(d.get("i").asInt(), number(d.get("off")))));
    return new Answer.Duplicate(dups);
  }

  /** Pushes one message to each, and acks, all or nothing. */
  Answer transaction(List<Address> at, List<String> words, List<Ack> acks) {
    List<Map<String, Object>> pushes = new ArrayList<>();
    for (int i = 0; i < at.size(); i++) {
      pushes.add(
          Map.of(
              "queue", at.get(i).queue(),
              "partition", at.get(i).partition(),
              "msgCount", 1,
              "hashes", TestPush.base64(TestPush.hashes(words.get(i))),
              "blob", TestPush.base64(TestPush.blob(words.get(i)))));
    }
    List<Map<String, Object>> acked = new ArrayList<>();
    acks.forEach(
        a ->
            acked.add(
                Map.of(
                    "partitionId", a.partition(),
                    "group", a.group(),
                    "worker", a.worker(),
                    "offset", a.offset())));
    JsonNode answer =
        sql.json(
            "select queen.log_transaction_wire_v1(?::jsonb)",
            text(Map.of("pushes", pushes, "acks", acked)));
    return switch (answer.get("status").asText()) {
      case "committed" -> {
        List<Answer> ackAnswers = new ArrayList<>();
        answer.get("acks").forEach(a -> ackAnswers.add(acked(a)));
        yield new Answer.Committed(each(answer.get("pushes")), ackAnswers);
      }
      case "duplicate" -> new Answer.Duplicates(lines(answer.get("dups"), "push", "i", "off"));
      default -> new Answer.NotAcked(lines(answer.get("refused"), "ack", "committed"));
    };
  }

  private static List<String> lines(JsonNode nodes, String... keys) {
    List<String> lines = new ArrayList<>();
    for (JsonNode node : nodes) {
      StringBuilder line = new StringBuilder();
      for (String key : keys) {
        line.append(key).append(' ').append(node.get(key).asText()).append(' ');
      }
      lines.add(line.toString().strip());
    }
    return lines;
  }

  Answer load(UUID id, List<Instant> times, List<List<String>> words) {
    JsonNode answer =
        sql.json(
            "select queen.log_import_v1(?, ?::timestamptz[], ?, ?, ?)",
            id,
            times.stream().map(Instant::toString).toArray(String[]::new),
            words.stream().map(List::size).toArray(Integer[]::new),
            hashes(words),
            blobs(words));
    return new Answer.Imported(
        answer.get("baseOffset").asLong(),
        answer.get("endOffset").asLong(),
        answer.get("segments").asInt());
  }

  Answer pop(
      String queue, String partition, String group, String worker, int max, Integer seconds) {
    return new Answer.Popped(
        sql
            .rows(
                "select * from queen.log_pop_v1(?, ?::text, ?, ?, ?, ?::int)",
                queue,
                partition,
                group,
                worker,
                max,
                seconds)
            .stream()
            .map(
                r ->
                    new Answer.Leased(
                        (UUID) r.get("partition_id"),
                        (long) r.get("from_offset"),
                        (long) r.get("to_offset"),
                        (long) r.get("base_offset"),
                        (long) r.get("end_offset"),
                        (Instant) r.get("created_at")))
            .toList());
  }

  Answer ack(UUID id, String group, String worker, long offset) {
    return acked(sql.json("select queen.log_ack_v1(?, ?, ?, ?)", id, group, worker, offset));
  }

  Answer ackWord(UUID id, String group, String worker, String word) {
    return acked(
        sql.json(
            "select queen.log_ack_by_hash_v1(?, ?, ?, ?)",
            id,
            group,
            worker,
            TestPush.hashes(word)));
  }

  private static Answer acked(JsonNode answer) {
    return new Answer.Acked(answer.get("acked").asBoolean(), number(answer.get("committed")));
  }

  Answer seek(UUID id, String group, long offset) {
    return new Answer.Sought(
        sql.json("select queen.log_seek_v1(?, ?, ?)", id, group, offset).get("committed").asLong());
  }

  Answer deleteGroup(String queue, String group) {
    return deleted(sql.json("select queen.log_group_delete_v1(?, ?)", queue, group));
  }

  Answer putDeadLetter(UUID id, String transaction) {
    sql.rows("select queen.log_dlq_put_v1(?, ?, null, null, null, null)", id, transaction);
    return new Answer.Done();
  }

  Answer deleteDeadLetter(UUID id, String transaction) {
    return deleted(sql.json("select queen.log_dlq_delete_v1(?, ?)", id, transaction));
  }

  private static Answer deleted(JsonNode answer) {
    return new Answer.Deleted(answer.get("deleted").asLong());
  }

  /** What a stream processor does; the schema has no function for it. */
  Answer keepStreamState(UUID id, boolean there) {
    sql.run(
        there
            ? "insert into queen_streams.state (partition_id, key) values (?, 'k') on conflict do nothing"
            : "delete from queen_streams.state where partition_id = ?",
        id);
    return new Answer.Done();
  }

  Answer forgetExpiry(UUID id, String group) {
    sql.run(
        "update queen.log_consumers set lease_expires_at = null"
            + " where partition_id = ? and consumer_group = ?",
        id,
        group);
    return new Answer.Done();
  }

  Answer step(UUID id, Instant all, Instant completed, int maxRows) {
    return stepped(
        sql.json(
            "select queen.log_retention_step_v1(?, ?::timestamptz, ?::timestamptz, ?)",
            id,
            all,
            completed,
            maxRows));
  }

  Answer evict(UUID id, Instant cutoff, int maxRows) {
    return stepped(
        sql.json(
            "select queen.log_evict_max_wait_step_v1(?, ?::timestamptz, ?)", id, cutoff, maxRows));
  }

  private static Answer stepped(JsonNode answer) {
    return new Answer.Stepped(
        answer.get("deleted").asLong(),
        number(answer.get("new_log_start")),
        answer.get("done").asBoolean(),
        answer.get("messages").asLong(),
        answer.get("retention_type").isNull() ? null : answer.get("retention_type").asText());
  }

  Answer purge(UUID id, Instant cutoff, int maxRows) {
    JsonNode answer =
        sql.json("select queen.log_txns_purge_step_v1(?, ?::timestamptz, ?)", id, cutoff, maxRows);
    return new Answer.Purged(
        answer.get("deleted").asLong(),
        number(answer.get("new_txns_start")),
        answer.get("done").asBoolean());
  }

  Answer dead(UUID id, Instant cutoff) {
    return new Answer.Dead(
        sql.value("select queen.log_partition_dead_v1(?, ?::timestamptz)", id, cutoff));
  }

  Answer cleanup(Instant cutoff, int maxRows) {
    JsonNode answer =
        sql.json("select queen.log_partition_cleanup_step_v1(?::timestamptz, ?)", cutoff, maxRows);
    return new Answer.Cleaned(answer.get("deleted").asLong(), answer.get("done").asBoolean());
  }

  Answer.Walked walk(UUID after, int maxRows) {
    JsonNode answer =
        sql.json("select queen.log_watermark_walk_step_v1(?::uuid, ?)", after, maxRows);
    return new Answer.Walked(
        answer.get("scanned").asLong(),
        answer.get("repaired").asLong(),
        answer.get("held").asLong(),
        answer.get("last_id").isNull() ? null : UUID.fromString(answer.get("last_id").asText()),
        answer.get("done").asBoolean());
  }

  /** A cycle of a process that has just started: it remembers no backoff and no cleanup. */
  Answer cycle() {
    try (RetentionService service = RetentionService.on(pool).build()) {
      CycleReport report = ((CycleOutcome.Swept) service.runOnce()).report();
      return new Answer.Swept(
          report.segmentsDeleted(),
          report.maxWaitEvicted(),
          report.txnsPurged(),
          report.partitionsDeleted(),
          report.visits().failed());
    }
  }

  static SortedMap<String, Object> options(Object json) {
    try {
      SortedMap<String, Object> options =
          JSON.readValue(String.valueOf(json), new TypeReference<TreeMap<String, Object>>() {});
      options.values().removeIf(v -> v == null);
      return options;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not JSON", e);
    }
  }

  private static String text(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not JSON", e);
    }
  }

  private static Long number(JsonNode node) {
    return node.isNull() ? null : node.asLong();
  }

  private static byte[][] hashes(List<List<String>> words) {
    return words.stream()
        .map(w -> TestPush.hashes(w.toArray(String[]::new)))
        .toArray(byte[][]::new);
  }

  private static byte[][] blobs(List<List<String>> words) {
    return words.stream().map(w -> TestPush.blob(w.toArray(String[]::new))).toArray(byte[][]::new);
  }
}
