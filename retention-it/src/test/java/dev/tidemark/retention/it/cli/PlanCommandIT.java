package dev.tidemark.retention.it.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code retention plan}: a promise that {@code once} keeps, and that costs nobody anything. */
class PlanCommandIT {
  private TestDatabase database;
  private Sql sql;
  private TestLog log;
  private Cli cli;

  @BeforeEach
  void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    log = new TestLog(sql);
    cli = new Cli("--jdbc-url", database.url());
  }

  @AfterEach
  void close() {
    assertThat(Invariants.broken(sql)).isEmpty();
    database.close();
  }

  @Test
  void whatIsPlannedIsWhatOnceThenDeletes() {
    aMixedDatabase();

    JsonNode plan = cli.json("plan");
    JsonNode cycle = cli.json("once");

    Map<String, String> promised = byRule(plan.get("totals"));
    assertThat(promised.keySet())
        .containsExactly(
            "consumed completed_retention",
            "consumed txns_purge",
            "evicting max_wait_time_eviction",
            "evicting txns_purge",
            "forever txns_purge",
            "ruled completed_retention",
            "ruled retention",
            "ruled txns_purge",
            "silent completed_retention",
            "silent max_wait_time_eviction",
            "silent retention",
            "silent txns_purge");
    promised.keySet().removeIf(rule -> rule.endsWith(" txns_purge"));
    assertThat(byRule(cycle.get("deleted"))).isEqualTo(promised);
    for (String count :
        List.of(
            "segments_deleted",
            "max_wait_evicted",
            "txns_purged",
            "partitions_deleted",
            "metrics_purged")) {
      assertThat(plan.get(count).asLong()).as(count).isPositive();
      assertThat(cycle.get(count)).as(count).isEqualTo(plan.get(count));
    }
    assertThat(cycle.get("left").asLong() + cycle.get("failed").asLong()).isZero();

    JsonNode after = cli.json("plan");
    assertThat(after.get("totals")).isEmpty();
    assertThat(after.get("empty")).isEmpty();
    assertThat(after.get("held")).isEqualTo(plan.get("held")).isNotEmpty();
  }

  @Test
  void theSumsAreThoseOfThePartitions() {
    aMixedDatabase();

    JsonNode plan = cli.json("plan");

    Map<String, List<Long>> sums = new TreeMap<>();
    for (JsonNode p : plan.get("partitions")) {
      sums.merge(
          key(p),
          List.of(p.get("segments").asLong(), p.get("messages").asLong()),
          (a, b) -> List.of(a.get(0) + b.get(0), a.get(1) + b.get(1)));
      assertThat(p.get("reason").asText()).isNotEmpty();
    }
    Map<String, String> shown = new TreeMap<>();
    sums.forEach((k, v) -> shown.put(k, v.get(0) + " " + v.get(1)));
    assertThat(byRule(plan.get("totals"))).isEqualTo(shown);
  }

  @Test
  void theEmptyPartitionsAreThoseThatAreSilentOrThatTheSameCycleEmpties() {
    aMixedDatabase();

    JsonNode plan = cli.json("plan");

    assertThat(reasons(plan.get("empty")))
        .containsOnlyKeys(
            "silent by-age", "silent consumed", "silent evicted", "silent long-empty");
    assertThat(reasons(plan.get("empty")).get("silent long-empty")).startsWith("empty and silent");
    assertThat(reasons(plan.get("empty")).get("silent by-age")).endsWith("this cycle empties it");
    assertThat(cli.json("plan", "--queen-partition-cleanup-enabled", "false").get("empty"))
        .isEmpty();
    assertThat(cli.json("plan", "--partition-cleanup-days", "36500").get("empty")).isEmpty();
    assertThat(cli.json("plan", "--metrics-retention-days", "3650").get("metrics_purged").asInt())
        .isZero();
  }

  @Test
  void whatIsHeldSaysByWhom() {
    aMixedDatabase();

    assertThat(reasons(cli.json("plan").get("held")))
        .containsEntry("consumed unread", "no group has a cursor")
        .containsEntry("consumed behind", "group slow has committed nothing")
        .containsEntry("consumed half", "group slow has committed only 3");
    assertThat(cli.run("plan").out()).contains("held back:").contains("group slow has committed");
  }

  @Test
  void nothingChanges() {
    aMixedDatabase();
    Map<String, String> before = contents();

    cli.json("plan");
    cli.run("plan");
    cli.json("plan", "silent");

    assertThat(contents()).isEqualTo(before).hasSizeGreaterThan(15);
  }

  @Test
  void itAnswersWhileAnotherSessionHoldsEveryPartition() {
    aMixedDatabase();
    JsonNode expected = cli.json("plan");
    Sql other = database.connect();
    other.begin();
    other.rows("select 1 from queen.log_partitions for update");
    other.rows("select 1 from queen.log_consumers for update");

    JsonNode plan = cli.json("plan");

    assertThat(plan.get("totals")).isEqualTo(expected.get("totals"));
    assertThat(plan.get("empty").size()).isEqualTo(expected.get("empty").size());
    other.rollback();
  }

  @Test
  void itLocksNoRowAndNoTableAgainstAnybodyAndSeesOneMoment() {
    aMixedDatabase();
    JsonNode expected = cli.json("plan");
    Sql other = database.connect();
    other.begin();
    // The last table it asks: it waits here with all that it holds.
    other.run("lock table queen.retention_history in access exclusive mode");
    CompletableFuture<JsonNode> plan = CompletableFuture.supplyAsync(() -> cli.json("plan"));
    String waiting =
        "select l.pid from pg_locks l where l.relation = 'queen.retention_history'::regclass and not l.granted";
    await().until(() -> plan.isDone() || !sql.rows(waiting).isEmpty());
    int backend = (int) sql.number(waiting);

    List<String> locks =
        sql
            .rows(
                "select distinct locktype || ' ' || mode as lock from pg_locks where pid = ? and granted",
                backend)
            .stream()
            .map(r -> String.valueOf(r.get("lock")))
            .toList();
    log.append(log.partition("ruled", "late"), log.ago(Duration.ofHours(15)), 2);
    other.run("delete from queen.retention_history");
    other.commit();

    assertThat(locks)
        .contains("relation AccessShareLock")
        .isSubsetOf("relation AccessShareLock", "virtualxid ExclusiveLock");
    assertThat(plan.join().get("totals")).isEqualTo(expected.get("totals"));
    assertThat(plan.join().get("metrics")).isEqualTo(expected.get("metrics"));
  }

  @Test
  void aReaderMayAskForItAndNobodyElseIsToldWhatItNeeds() {
    aMixedDatabase();
    String user = "reader_" + UUID.randomUUID().toString().replace('-', '_');
    sql.run("create role " + user + " login password 'x' in role queen_reader");
    try {
      JsonNode plan = new Cli("--jdbc-url", database.urlAs(user, "x")).json("plan");
      assertThat(plan.get("totals")).isEqualTo(cli.json("plan").get("totals"));
      sql.run("revoke queen_reader from " + user);
      sql.run("grant queen_broker to " + user);
      Cli.Run refused = new Cli("--jdbc-url", database.urlAs(user, "x")).run("plan");
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err()).contains("queen_reader for plan and status").hasLineCount(1);
    } finally {
      sql.run("drop role " + user);
    }
  }

  @Test
  void oneQueueIsPlannedAloneAndAnUnknownOneIsRefused() {
    aMixedDatabase();

    JsonNode one = cli.json("plan", "silent");
    assertThat(one.get("queues").asInt()).isEqualTo(1);
    assertThat(byRule(one.get("totals")).keySet()).allMatch(rule -> rule.startsWith("silent "));
    assertThat(one.get("empty")).hasSize(4);
    assertThat(one.get("metrics")).as("they belong to no queue").isEmpty();
    assertThat(cli.json("plan", "forever").get("held")).isEmpty();

    Cli.Run run = cli.run("plan", "nowhere");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).isEqualTo("retention plan: there is no queue nowhere\n");
  }

  @Test
  void aPersonSeesTheSumsAndSoManyPartitionsAndIsToldHowManyMore() {
    cli.json("configure", "q", "retentionEnabled=true", "retentionSeconds=60");
    for (int i = 1; i <= 25; i++) {
      UUID partition = log.partition("q", "p" + i);
      for (int segment = 0; segment < (i == 17 ? 2 : 1); segment++) {
        log.append(partition, log.ago(Duration.ofMinutes(30)), 1);
      }
    }

    List<String> lines = cli.run("plan").out().lines().toList();
    assertThat(lines.get(0)).contains("26 segments deleted, 0 evicted, 0 sidecar rows purged");
    assertThat(lines).anyMatch(l -> l.matches("q +retention +25 +26 +26 *"));
    List<String> printed = lines.stream().filter(l -> l.contains("older than")).toList();
    assertThat(printed).hasSize(20);
    assertThat(printed.get(0)).as("the largest first").contains("p17");
    assertThat(lines).contains("... and 5 more partitions of q by retention");

    assertThat(cli.run("plan", "--limit", "0").out())
        .doesNotContain("older than")
        .contains("... and 25 more partitions of q by retention");
    assertThat(cli.run("plan", "--limit", "25").out()).doesNotContain("more partitions");
    assertThat(cli.json("plan").get("partitions")).hasSize(25);
  }

  @Test
  void anEmptyDatabaseHasAPlanOfNothing() {
    assertThat(cli.run("plan").out())
        .contains("would take from 0 queues: 0 segments deleted")
        .contains("0 rows of samples and history purged")
        .hasLineCount(2);
  }

  /** Every rule, and everything that stops one. */
  private void aMixedDatabase() {
    policy("ruled", 10, 5, 20);
    commit(filled("ruled", "mixed", 25, 21, 15, 12, 11, 7, 6, 1), "fast", 15);
    commit(filled("ruled", "old", 30, 12, 1), "g", -1);
    filled("ruled", "unread", 25, 15, 7, 1);
    filled("ruled", "fresh", 1, 0);
    policy("consumed", 0, 5, 0);
    commit(filled("consumed", "all", 9, 8, 1), "fast", 5);
    UUID half = filled("consumed", "half", 9, 8, 7, 1);
    commit(half, "fast", 7);
    commit(half, "slow", 3);
    commit(filled("consumed", "behind", 9, 8), "slow", -1);
    filled("consumed", "unread", 9, 8);
    log.configure("evicting", "{\"maxWaitTimeSeconds\": 36000, \"retentionSeconds\": 60}");
    filled("evicting", "p", 12, 11, 1);
    filled("forever", "p", 12, 11, 1);

    policy("silent", 100, 5, 20);
    silent(filled("silent", "by-age", 120, 110));
    UUID consumed = filled("silent", "consumed", 9, 8);
    commit(consumed, "g", 3);
    silent(consumed);
    silent(filled("silent", "evicted", 22, 21));
    silent(filled("silent", "fresh-tail", 120, 1));
    UUID held = filled("silent", "held", 9, 8);
    commit(held, "g", 1);
    silent(held);
    UUID joined = filled("silent", "joined", 120, 110);
    silent(joined);
    commit(joined, "new", 3);
    UUID dead = filled("silent", "dead-letter", 120);
    silent(dead);
    sql.run("insert into queen.log_dlq (partition_id, transaction_id) values (?, 't')", dead);
    filled("silent", "written", 120);
    silent(log.partition("silent", "long-empty"));
    log.partition("silent", "just-made");

    sql.run(
        "insert into queen.worker_metrics (worker_id, sampled_at) select 'w', now() - d * interval '40 days'"
            + " from generate_series(0, 5) d");
    sql.run(
        "insert into queen.retention_history (partition_id, messages_deleted, segments_deleted, retention_type, executed_at)"
            + " select gen_random_uuid(), 1, 1, 'retention', now() - d * interval '40 days' from generate_series(0, 5) d");
  }

  private void policy(String queue, int hours, int hoursWhenConsumed, int hoursToWait) {
    log.configure(
        queue,
        "{\"retentionEnabled\": true, \"retentionSeconds\": %d, \"completedRetentionSeconds\": %d, \"maxWaitTimeSeconds\": %d}"
            .formatted(hours * 3600, hoursWhenConsumed * 3600, hoursToWait * 3600));
  }

  /** A partition with one segment of two messages of each of these ages in hours. */
  private UUID filled(String queue, String name, int... hoursAgo) {
    UUID partition = log.partition(queue, name);
    for (int hours : hoursAgo) {
      log.append(partition, log.ago(Duration.ofHours(hours).plusMinutes(30)), 2);
    }
    return partition;
  }

  private void commit(UUID partition, String group, long committed) {
    log.commit(partition, group, committed);
  }

  private void silent(UUID partition) {
    sql.run(
        "update queen.log_partitions set created_at = '2000-01-01Z', last_write_at = '2000-01-02Z' where id = ?",
        partition);
    sql.run(
        "update queen.log_consumers set created_at = '2000-01-01Z' where partition_id = ?",
        partition);
  }

  private static String key(JsonNode row) {
    return row.get("queue").asText() + " " + row.get("rule").asText();
  }

  private static Map<String, String> byRule(JsonNode rows) {
    Map<String, String> byRule = new TreeMap<>();
    for (JsonNode row : rows) {
      byRule.put(key(row), row.get("segments").asLong() + " " + row.get("messages").asLong());
    }
    return byRule;
  }

  private static Map<String, String> reasons(JsonNode rows) {
    Map<String, String> reasons = new TreeMap<>();
    for (JsonNode row : rows) {
      reasons.put(
          row.get("queue").asText() + " " + row.get("partition").asText(),
          row.get("reason").asText());
    }
    return reasons;
  }

  /** A fingerprint of each table, row versions included. */
  private Map<String, String> contents() {
    List<String> tables = new ArrayList<>();
    sql.rows(
            "select c.oid::regclass::text as name from pg_class c where c.relkind = 'r'"
                + " and c.relnamespace in ('queen'::regnamespace, 'queen_streams'::regnamespace)")
        .forEach(r -> tables.add(String.valueOf(r.get("name"))));
    return tables.stream()
        .collect(
            Collectors.toMap(
                table -> table,
                table ->
                    String.valueOf(
                        sql.<Object>value(
                            "select md5(string_agg(t::text || t.ctid || t.xmin || t.xmax, ',' order by t.ctid)) from "
                                + table
                                + " t"))));
  }
}
