package dev.tidemark.retention.sql;

import dev.tidemark.retention.core.plan.QueueRule;
import dev.tidemark.retention.sql.queen.tables.LogRulesV1;
import org.jooq.Record;

/**
 * Reads a queue's rule from a row that has the columns of {@code queen.log_rules_v1}, whichever
 * function gave it.
 */
final class Rules {
  private Rules() {}

  static QueueRule of(Record given) {
    LogRulesV1 r = LogRulesV1.LOG_RULES_V1;
    Record row = given.into(r);
    return new QueueRule(
        row.get(r.QUEUE_ID),
        row.get(r.QUEUE_NAME),
        Times.instant(row.get(r.ALL_CUTOFF)),
        Times.instant(row.get(r.COMPLETED_CUTOFF)),
        row.get(r.TXNS_CUTOFF).toInstant(),
        Times.instant(row.get(r.MAX_WAIT_CUTOFF)));
  }
}
