package dev.tidemark.retention.it.race;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestPush;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Producers and consumers of a race. Every word is pushed once, so that it tells where it belongs.
 */
public final class RaceTraffic {
  private static final String POP =
      "select p.name, l.* from queen.log_pop_v1(?, ?, ?, ?, ?, ?) l"
          + " left join queen.log_partitions p on p.id = l.partition_id order by l.base_offset";

  private final RaceQueues queues;
  private final Ledger ledger = new Ledger();
  private final AtomicLong words = new AtomicLong();

  public RaceTraffic(RaceQueues queues) {
    this.queues = queues;
  }

  public Ledger ledger() {
    return ledger;
  }

  public boolean push(Sql session, Random random) {
    String partition = queues.partition(random);
    String[] words = words(random);
    JsonNode answer = new TestPush(session).push(queue(partition), name(partition), words);
    queued(partition, answer, words);
    return true;
  }

  public boolean pushMulti(Sql session, Random random) throws SQLException {
    Map<String, String[]> segments = segments(random);
    List<String> names = new ArrayList<>(segments.keySet());
    JsonNode answers =
        session.json(
            "select queen.log_push_multi_v1(?, ?, ?, ?, ?, ?)",
            names.stream().map(RaceTraffic::queue).toArray(String[]::new),
            names.stream().map(RaceTraffic::name).toArray(String[]::new),
            segments.values().stream().map(w -> w.length).toArray(Integer[]::new),
            session
                .connection()
                .createArrayOf(
                    "bytea",
                    segments.values().stream().map(TestPush::hashes).toArray(byte[][]::new)),
            new Long[names.size()],
            session
                .connection()
                .createArrayOf(
                    "bytea",
                    segments.values().stream().map(TestPush::blob).toArray(byte[][]::new)));
    for (int i = 0; i < names.size(); i++) {
      queued(names.get(i), answers.get(i), segments.get(names.get(i)));
    }
    return true;
  }

  /** Consumes here and produces there, in one transaction. */
  public boolean wire(Sql session, Random random) {
    String worker = worker(random);
    List<Map<String, Object>> batch = pop(session, random, queues.kept(), null, "b", worker);
    Map<String, String[]> segments = segments(random);
    List<String> pushes = new ArrayList<>();
    segments.forEach(
        (partition, words) ->
            pushes.add(
                "{\"queue\":\"%s\",\"partition\":\"%s\",\"msgCount\":%d,\"hashes\":\"%s\",\"blob\":\"%s\"}"
                    .formatted(
                        queue(partition),
                        name(partition),
                        words.length,
                        TestPush.base64(TestPush.hashes(words)),
                        TestPush.base64(TestPush.blob(words)))));
    String ack =
        batch.isEmpty()
            ? ""
            : "{\"partitionId\":\"%s\",\"group\":\"b\",\"worker\":\"%s\",\"offset\":%s}"
                .formatted(last(batch).get("partition_id"), worker, last(batch).get("to_offset"));
    JsonNode answer =
        session.json(
            "select queen.log_transaction_wire_v1(?::jsonb)",
            "{\"pushes\":" + pushes + ",\"acks\":[" + ack + "]}");
    if (!answer.get("status").asText().equals("committed")) {
      assertThat(answer.get("status").asText())
          .as("only a lease that is lost")
          .isEqualTo("refused");
      return false;
    }
    int i = 0;
    for (Map.Entry<String, String[]> segment : segments.entrySet()) {
      queued(segment.getKey(), answer.get("pushes").get(i++), segment.getValue());
    }
    return !batch.isEmpty();
  }

  /** Pops a batch, and acks all of it, a part of it, by hash, or not at all; the lease is short. */
  public boolean consume(Sql session, Random random, String queue, String group) {
    String worker = worker(random);
    String partition = random.nextBoolean() ? null : RaceQueues.some(random);
    List<Map<String, Object>> batch = pop(session, random, queue, partition, group, worker);
    int way = random.nextInt(10);
    if (batch.isEmpty() || way == 0) {
      return false;
    }
    Map<String, Object> last = last(batch);
    UUID id = (UUID) last.get("partition_id");
    JsonNode answer;
    if (way == 1) {
      String[] words = text(last).split(" ", -1);
      int nr = (int) ((long) last.get("to_offset") - (long) last.get("base_offset"));
      answer =
          session.json(
              "select queen.log_ack_by_hash_v1(?, ?, ?, ?::bytea)",
              id,
              group,
              worker,
              TestPush.hashes(words[nr]));
    } else {
      String column = way == 2 ? "from_offset" : "to_offset";
      answer =
          session.json(
              "select queen.log_ack_v1(?, ?, ?, ?)", id, group, worker, (long) last.get(column));
    }
    return answer.get("acked").asBoolean();
  }

  /** Hands the groups what is left for them in the kept queue, whoever had leased it. */
  public void drain(Sql session, String... groups) {
    session.run(
        "select queen.log_seek_v1(c.partition_id, c.consumer_group, c.committed + 1)"
            + " from queen.log_consumers c join queen.log_partitions p on p.id = c.partition_id"
            + " join queen.queues q on q.id = p.queue_id where q.name = ?",
        queues.kept());
    Random random = new Random(0);
    for (String group : groups) {
      List<Map<String, Object>> batch = pop(session, random, queues.kept(), null, group, "drain");
      while (!batch.isEmpty()) {
        assertThat(
                session
                    .json(
                        "select queen.log_ack_v1(?, ?, 'drain', ?)",
                        last(batch).get("partition_id"),
                        group,
                        last(batch).get("to_offset"))
                    .get("acked")
                    .asBoolean())
            .isTrue();
        batch = pop(session, random, queues.kept(), null, group, "drain");
      }
    }
  }

  private List<Map<String, Object>> pop(
      Sql session, Random random, String queue, String partition, String group, String worker) {
    int lease = worker.equals("drain") ? 3600 : 1;
    List<Map<String, Object>> batch =
        session.rows(POP, queue, partition, group, worker, 1 + random.nextInt(20), lease);
    for (Map<String, Object> row : batch) {
      long base = (long) row.get("base_offset");
      long from = (long) row.get("from_offset");
      long to = (long) row.get("to_offset");
      assertThat(text(row).split(" ")).hasSize((int) ((long) row.get("end_offset") - base + 1));
      assertThat(from).isBetween(base, to);
      // Where the partition was dropped since, nobody knows any more how it was called.
      if (row.get("name") != null) {
        ledger.handed(
            group,
            new Ledger.Segment(
                queue + "/" + row.get("name"), base, (Instant) row.get("created_at")),
            from,
            to,
            text(row));
      }
    }
    return batch;
  }

  private void queued(String partition, JsonNode answer, String[] words) {
    assertThat(answer.get("status").asText()).isEqualTo("queued");
    ledger.pushed(
        partition,
        answer.get("baseOffset").asLong(),
        Instant.parse(answer.get("createdAt").asText()),
        String.join(" ", words));
  }

  private Map<String, String[]> segments(Random random) {
    Map<String, String[]> segments = new LinkedHashMap<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      segments.put(queues.partition(random), words(random));
    }
    return segments;
  }

  private String[] words(Random random) {
    String[] all = new String[1 + random.nextInt(3)];
    for (int i = 0; i < all.length; i++) {
      all[i] = "w" + words.incrementAndGet();
    }
    return all;
  }

  /** A new name each time: two turns of one worker would take each other's lease for their own. */
  private static String worker(Random random) {
    return "worker" + random.nextLong();
  }

  private static Map<String, Object> last(List<Map<String, Object>> batch) {
    return batch.get(batch.size() - 1);
  }

  private static String text(Map<String, Object> row) {
    return new String((byte[]) row.get("blob"), StandardCharsets.UTF_8);
  }

  private static String queue(String partition) {
    return partition.substring(0, partition.indexOf('/'));
  }

  private static String name(String partition) {
    return partition.substring(partition.indexOf('/') + 1);
  }
}
