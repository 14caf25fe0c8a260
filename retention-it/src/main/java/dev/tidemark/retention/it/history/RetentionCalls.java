package dev.tidemark.retention.it.history;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.it.model.Answer;
import dev.tidemark.retention.it.step.ServerDrain;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** What retention calls, as the model has it: the same arguments, the same answers. */
final class RetentionCalls {
  private final Sql sql;
  private final DataSource pool;

  RetentionCalls(Sql sql, DataSource pool) {
    this.sql = sql;
    this.pool = pool;
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

  /** A call of the drain that has time for one batch. */
  Answer drain(String queue, UUID id, Instant all, Instant completed, int maxRows) {
    List<Object> ids = sql.column("select id from queen.queues where name = ?", queue);
    UUID queueId = ids.isEmpty() ? id : (UUID) ids.get(0);
    ServerDrain.Answer answer =
        ServerDrain.retention(queueId, List.of(id), all, completed, maxRows)
            .with("p_rows", new Integer[] {maxRows})
            .with("p_batches", 1)
            .run(sql);
    return answer.stopped() == null
        ? stepped(answer.steps().get(0))
        : new Answer.Refused(answer.stopped());
  }

  Answer evict(UUID id, Instant cutoff, int maxRows) {
    return stepped(
        sql.json(
            "select queen.log_evict_max_wait_step_v1(?, ?::timestamptz, ?)", id, cutoff, maxRows));
  }

  private static Answer stepped(JsonNode answer) {
    return new Answer.Stepped(
        answer.get("deleted").asLong(),
        Json.number(answer.get("new_log_start")),
        answer.get("done").asBoolean(),
        answer.get("messages").asLong(),
        answer.get("retention_type").isNull() ? null : answer.get("retention_type").asText());
  }

  Answer purge(UUID id, Instant cutoff, int maxRows) {
    JsonNode answer =
        sql.json("select queen.log_txns_purge_step_v1(?, ?::timestamptz, ?)", id, cutoff, maxRows);
    return new Answer.Purged(
        answer.get("deleted").asLong(),
        Json.number(answer.get("new_txns_start")),
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
}
