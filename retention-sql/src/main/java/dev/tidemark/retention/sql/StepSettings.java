package dev.tidemark.retention.sql;

import dev.tidemark.retention.core.knob.Knobs;
import java.time.Duration;
import java.util.List;
import org.jooq.Query;

/**
 * What a step's transaction sets for itself.
 *
 * @param lockTimeout patience for the partition row
 * @param statementTimeout patience for the step
 * @param synchronousCommit of this transaction only; asynchronous loses at most the newest deletes,
 *     together with their watermark
 */
public record StepSettings(
    Duration lockTimeout, Duration statementTimeout, String synchronousCommit) {
  private static final int STEPS_A_LISTING = 10;

  /** A pause of the JVM is no reason to lose a connection. */
  private static final Duration SHORTEST_IDLE = Duration.ofSeconds(1);

  public static StepSettings of(Knobs knobs) {
    return new StepSettings(knobs.lockTimeout(), knobs.stepTimeout(), knobs.synchronousCommit());
  }

  /**
   * For a statement that reads what there is to do: it may take longer than a step, not for ever.
   */
  List<Query> listing() {
    return List.of(
        Session.setLocal("lock_timeout", lockTimeout),
        Session.setLocal("statement_timeout", statementTimeout.multipliedBy(STEPS_A_LISTING)),
        idle());
  }

  List<Query> local() {
    return List.of(
        Session.setLocal("lock_timeout", lockTimeout),
        Session.setLocal("statement_timeout", statementTimeout),
        Session.setLocal("synchronous_commit", synchronousCommit),
        idle());
  }

  /**
   * A runner that is cut off between a step and its commit would hold the partition's row until the
   * server gives the connection up, which takes hours.
   */
  private Query idle() {
    Duration idle =
        statementTimeout.compareTo(SHORTEST_IDLE) < 0 ? SHORTEST_IDLE : statementTimeout;
    return Session.setLocal("idle_in_transaction_session_timeout", idle);
  }
}
