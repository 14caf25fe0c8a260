package dev.tidemark.retention.it.history;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.model.Ack;
import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.model.Answer;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestPush;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What a broker calls, as the model has it: the same arguments, the same answers. */
final class BrokerCalls {
  private final Sql sql;

  BrokerCalls(Sql sql) {
    this.sql = sql;
  }

  Answer configure(String queue, Map<String, Object> edit) {
    return new Answer.Configured(
        Json.options(
            sql.json("select queen.configure_queue_v1(?, ?::jsonb)", queue, Json.text(edit))));
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

  Answer pushMulti(List<Address> at, List<List<String>> words, List<Long> verified) {
    JsonNode answers =
        sql.json(
            "select queen.log_push_multi_v1(?, ?, ?, ?, ?, ?)",
            at.stream().map(Address::queue).toArray(String[]::new),
            at.stream().map(Address::partition).toArray(String[]::new),
            words.stream().map(List::size).toArray(Integer[]::new),
            hashes(words),
            verified.toArray(Long[]::new),
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
        .forEach(d -> dups.add(new Answer.Dup(d.get("i").asInt(), Json.number(d.get("off")))));
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
            Json.text(Map.of("pushes", pushes, "acks", acked)));
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
                        (Instant) r.get("created_at"),
                        Names.wordsIn((byte[]) r.get("blob"))))
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
    return new Answer.Acked(answer.get("acked").asBoolean(), Json.number(answer.get("committed")));
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

  private static byte[][] hashes(List<List<String>> words) {
    return words.stream()
        .map(w -> TestPush.hashes(w.toArray(String[]::new)))
        .toArray(byte[][]::new);
  }

  private static byte[][] blobs(List<List<String>> words) {
    return words.stream().map(w -> TestPush.blob(w.toArray(String[]::new))).toArray(byte[][]::new);
  }
}
