package dev.tidemark.retention.it.step;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Two workers that drain some partitions. What one of them does may be undone, or its backend
 * ended.
 */
public final class Drain implements AutoCloseable {
  private final TestDatabase database;
  private final Sql sql;
  private final List<UUID> partitions;
  private final Cutoffs cutoffs;
  private Sql worker;

  /** Null = off. */
  public record Cutoffs(
      @Nullable Instant all,
      @Nullable Instant completed,
      @Nullable Instant txns,
      @Nullable Instant maxWait) {}

  /** The phases of a drain, in order. */
  public enum What {
    RULES,
    SIDECAR,
    MAX_WAIT
  }

  public enum Fate {
    COMMITTED,
    ROLLED_BACK,
    BACKEND_TERMINATED
  }

  /**
   * One step of a drain, and what became of it.
   *
   * @param besideAnother while it has not ended, another worker's step on the next partition
   *     commits
   */
  public record Turn(int partition, What what, int maxRows, Fate fate, boolean besideAnother) {}

  /**
   * Begins.
   *
   * @param sql the session of the worker that nothing befalls
   */
  public Drain(TestDatabase database, Sql sql, List<UUID> partitions, Cutoffs cutoffs) {
    this.database = database;
    this.sql = sql;
    this.partitions = partitions;
    this.cutoffs = cutoffs;
    this.worker = Sql.connect(database.url());
  }

  public void take(Turn turn) {
    int at = turn.partition() % partitions.size();
    worker.begin();
    step(worker, turn.what(), partitions.get(at), turn.maxRows());
    if (turn.besideAnother() && partitions.size() > 1) {
      UUID other = partitions.get((at + 1) % partitions.size());
      step(sql, turn.what(), other, turn.maxRows());
    }
    switch (turn.fate()) {
      case COMMITTED -> worker.commit();
      case ROLLED_BACK -> worker.rollback();
      case BACKEND_TERMINATED -> {
        boolean ended = sql.value("select pg_terminate_backend(?, 30000)", worker.backend());
        assertThat(ended).as("the backend has ended").isTrue();
        worker.close();
        worker = Sql.connect(database.url());
      }
    }
  }

  /** What an undisturbed worker does: each phase of each partition until it is done. */
  public void finish(int maxRows) {
    for (What what : What.values()) {
      for (UUID partition : partitions) {
        boolean done = false;
        while (!done) {
          done = step(sql, what, partition, maxRows);
        }
      }
    }
  }

  private boolean step(Sql session, What what, UUID partition, int maxRows) {
    TestLog on = new TestLog(session);
    JsonNode answer =
        switch (what) {
          case RULES -> on.retentionStep(partition, cutoffs.all(), cutoffs.completed(), maxRows);
          case SIDECAR -> on.purgeStep(partition, cutoffs.txns(), maxRows);
          case MAX_WAIT -> on.evictStep(partition, cutoffs.maxWait(), maxRows);
        };
    return answer.get("done").asBoolean();
  }

  @Override
  public void close() {
    worker.close();
  }
}
