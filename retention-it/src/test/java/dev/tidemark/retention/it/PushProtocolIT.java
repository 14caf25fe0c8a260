package dev.tidemark.retention.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.PushBy;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each of the three ways to push does to the partition row: one stamp, and few versions. */
class PushProtocolIT {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private String queue;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void aNameOfItsOwn() {
    queue = UUID.randomUUID().toString();
  }

  @AfterEach
  void invariantsHold() {
    assertThat(Invariants.broken(sql)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void oneStampIsTheSameToTheMicrosecondWhereverItIsWritten(PushBy by) {
    List<JsonNode> answers = by.push(sql, queue, "a", "b");
    List<UUID> partitions = partitions(by);
    for (int i = 0; i < partitions.size(); i++) {
      UUID partition = partitions.get(i);
      Instant stamp = stamp(answers.get(i));
      assertThat(log.segments(partition)).containsExactly(new TestLog.Segment(0, 1, stamp));
      assertThat(sidecarStamps(partition)).containsExactly(stamp);
      assertThat(log.lastCreatedAt(partition)).isEqualTo(stamp);
      assertThat(log.row(partition)).isEqualTo(new TestLog.Row(1, 0, 0, stamp, stamp));
    }
  }

  @ParameterizedTest
  @EnumSource
  void theWatermarksOfAPartitionThatHoldsDataStayAndThoseOfAnEmptiedOneAreTheNextStamp(PushBy by) {
    List<JsonNode> first = by.push(sql, queue, "a");
    by.push(sql, queue, "b");
    List<UUID> partitions = partitions(by);
    for (int i = 0; i < partitions.size(); i++) {
      Instant stamp = stamp(first.get(i));
      assertThat(log.row(partitions.get(i))).isEqualTo(new TestLog.Row(1, 0, 0, stamp, stamp));
      log.retentionStep(partitions.get(i), log.ago(Duration.ofSeconds(-1)), null, 10);
      log.purgeStep(partitions.get(i), log.ago(Duration.ofSeconds(-1)), 10);
      assertThat(log.row(partitions.get(i))).isEqualTo(new TestLog.Row(1, 2, 2, null, null));
    }
    List<JsonNode> next = by.push(sql, queue, "c");
    for (int i = 0; i < partitions.size(); i++) {
      Instant stamp = stamp(next.get(i));
      assertThat(log.row(partitions.get(i))).isEqualTo(new TestLog.Row(2, 2, 2, stamp, stamp));
    }
  }

  @ParameterizedTest
  @EnumSource
  void createdAtDoesNotGoBackWhenTheClockDoes(PushBy by) {
    by.push(sql, queue, "a");
    // As if the clock had been an hour ahead when "a" was pushed.
    Instant ahead = log.ago(Duration.ofHours(-1));
    for (UUID partition : partitions(by)) {
      for (String table : List.of("log_segments", "log_txns")) {
        sql.run(
            "update queen." + table + " set created_at = ? where partition_id = ?",
            ahead,
            partition);
      }
      sql.run(
          "update queen.log_partitions set last_created_at = ?, oldest_live_at = ?, oldest_txn_at = ?"
              + " where id = ?",
          ahead,
          ahead,
          ahead,
          partition);
    }
    for (String word : List.of("b", "c")) {
      assertThat(by.push(sql, queue, word)).extracting(PushProtocolIT::stamp).containsOnly(ahead);
    }
    assertThat(partitions(by))
        .allSatisfy(
            partition -> {
              assertThat(log.segments(partition))
                  .extracting(TestLog.Segment::createdAt)
                  .containsExactly(ahead, ahead, ahead);
              assertThat(sidecarStamps(partition)).containsExactly(ahead, ahead, ahead);
            });
  }

  @ParameterizedTest
  @EnumSource
  void aPushOfDuplicatesMakesNoVersionOfAnyRow(PushBy by) {
    by.push(sql, queue, "a", "b");
    // Due for a change, were there anything to say.
    sql.run(
        "update queen.log_partitions set last_write_at = last_write_at - interval '1 hour' where id"
            + " = any (?::uuid[])",
        partitions(by).toString().replace('[', '{').replace(']', '}'));
    List<Map<String, Object>> before = versions();
    for (List<String> words : List.of(List.of("a"), List.of("b", "a"), List.of("new", "a"))) {
      assertThat(by.push(sql, queue, words.toArray(String[]::new)))
          .extracting(a -> a.get("status").asText())
          .containsOnly("duplicate");
      assertThat(versions()).as("%s", words).isEqualTo(before);
    }
    assertThat(by.push(sql, queue, "new"))
        .extracting(a -> a.get("baseOffset").asLong())
        .containsOnly(2L);
  }

  @ParameterizedTest
  @EnumSource
  void pushesInASteadyStateAreHotUpdates(PushBy by) {
    by.push(sql, queue, "first");
    long hot = counter("n_tup_hot_upd");
    long all = counter("n_tup_upd");
    for (int i = 0; i < 200; i++) {
      by.push(sql, queue, "m" + i);
    }
    long pushes = 200L * by.partitions().size();
    assertThat(counter("n_tup_upd") - all).as("one allocator update a push").isEqualTo(pushes);
    assertThat(counter("n_tup_hot_upd") - hot).isGreaterThan(pushes * 3 / 4);
  }

  private List<UUID> partitions(PushBy by) {
    return by.partitions().stream().map(name -> log.partition(queue, name)).toList();
  }

  /** Every row of the queue's log, as it is stored. */
  private List<Map<String, Object>> versions() {
    return sql.rows(
        """
        with mine as (
            select p.* from queen.log_partitions p join queen.queues q on q.id = p.queue_id where q.name = ?)
        select p.ctid::text, p.xmin::text, p::text as stored
          from queen.log_partitions p where p.id in (select id from mine)
        union all select s.ctid::text, s.xmin::text, s::text
          from queen.log_segments s where s.partition_id in (select id from mine)
        union all select t.ctid::text, t.xmin::text, t::text
          from queen.log_txns t where t.partition_id in (select id from mine)
         order by stored
        """,
        queue);
  }

  private static List<Instant> sidecarStamps(UUID partition) {
    return sql
        .rows(
            "select created_at from queen.log_txns where partition_id = ? order by base_offset",
            partition)
        .stream()
        .map(r -> (Instant) r.get("created_at"))
        .toList();
  }

  private static Instant stamp(JsonNode answer) {
    assertThat(answer.get("status").asText()).as(answer.toString()).isEqualTo("queued");
    return Instant.parse(answer.get("createdAt").asText());
  }

  private static long counter(String column) {
    sql.run("select pg_stat_force_next_flush()");
    return sql.number(
        "select "
            + column
            + " from pg_stat_user_tables where relid = 'queen.log_partitions'::regclass");
  }
}
