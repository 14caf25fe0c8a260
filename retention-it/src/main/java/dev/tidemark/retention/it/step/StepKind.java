package dev.tidemark.retention.it.step;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Instant;
import java.util.UUID;

/** The steps of one partition, each told a cutoff and a bound. */
public enum StepKind {
  BY_AGE("queen.log_segments"),
  BY_CONSUMPTION("queen.log_segments"),
  MAX_WAIT("queen.log_segments"),
  SIDECAR("queen.log_txns");

  private final String table;

  StepKind(String table) {
    this.table = table;
  }

  public JsonNode run(Sql session, UUID partition, Instant cutoff, int maxRows) {
    TestLog log = new TestLog(session);
    return switch (this) {
      case BY_AGE -> log.retentionStep(partition, cutoff, null, maxRows);
      case BY_CONSUMPTION -> log.retentionStep(partition, null, cutoff, maxRows);
      case MAX_WAIT -> log.evictStep(partition, cutoff, maxRows);
      case SIDECAR -> log.purgeStep(partition, cutoff, maxRows);
    };
  }

  /** The statement with which it deletes, as a trigger event. */
  public String deletes() {
    return "delete on " + table + " for each statement";
  }

  /** Each row that it deletes, as a trigger event. */
  public String deletesEach() {
    return "delete on " + table + " for each row";
  }

  /** Each row that it deletes of one partition, as a trigger event. */
  public String deletesIn(UUID partition) {
    return "delete on " + table + " for each row when (old.partition_id = '" + partition + "')";
  }

  /** Rows that are left for it. */
  public long left(Sql session, UUID partition) {
    return session.number("select count(*) from " + table + " where partition_id = ?", partition);
  }
}
