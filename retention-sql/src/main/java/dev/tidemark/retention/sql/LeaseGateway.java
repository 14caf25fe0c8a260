package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.sql.queen.Routines;
import dev.tidemark.retention.sql.queen.tables.LeaseClaimV1;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Query;

/**
 * The durable schedule in queen.maintenance_leases. Thread-safe. Every call is a transaction of its
 * own, committed synchronously, and decided by the database's clock. Calls take turns, so that all
 * of a process need one connection. Each locks the task's row; it waits for it 5 s at most. Errors
 * as in {@link SqlStates}.
 */
public final class LeaseGateway {
  private static final List<Query> PATIENCE =
      List.of(
          Session.setLocal("synchronous_commit", "on"),
          Session.setLocal("lock_timeout", Duration.ofSeconds(5)),
          Session.setLocal("statement_timeout", Duration.ofSeconds(10)),
          // Cut off before the commit, a session would keep the task's row from everybody.
          Session.setLocal("idle_in_transaction_session_timeout", Duration.ofSeconds(5)));

  private final DataSource dataSource;
  private final ReentrantLock oneConnection = new ReentrantLock();

  public LeaseGateway(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Enters a task, or changes its period: {@code queen.lease_register_v1}. Called at every start.
   *
   * @return when the task is due
   */
  public Instant register(String task, Duration period) {
    return inOwnTransaction(
            dsl ->
                dsl.select(Routines.leaseRegisterV1(val(task), val(period.toMillis())))
                    .fetchSingle()
                    .value1())
        .toInstant();
  }

  /**
   * Claims a task that is enabled, due and not leased: {@code queen.lease_claim_v1}.
   *
   * @param holder a name that no other process uses
   * @return the claim, or empty when it is not to be had now
   */
  public Optional<Claim> claim(String task, String holder, Duration lease) {
    LeaseClaimV1 c = LeaseClaimV1.LEASE_CLAIM_V1;
    return inOwnTransaction(
            dsl -> dsl.selectFrom(c.call(val(task), val(holder), val(lease.toMillis()))).fetch())
        .stream()
        .findFirst()
        .map(row -> new Claim(task, holder, row.get(c.FENCE)));
  }

  /** Keeps a claim for another lease from now: {@code queen.lease_renew_v1}. */
  public Standing.Lease renew(Claim claim, Duration lease) {
    String answer =
        inOwnTransaction(
            dsl ->
                dsl.select(
                        Routines.leaseRenewV1(
                            val(claim.task()),
                            val(claim.holder()),
                            val(claim.fence()),
                            val(lease.toMillis())))
                    .fetchSingle()
                    .value1());
    return switch (answer) {
      case "renewed" -> Standing.Lease.HELD;
      case "paused" -> Standing.Lease.PAUSED;
      case "lost" -> Standing.Lease.LOST;
      default -> throw new IllegalStateException("lease_renew_v1 answered " + answer);
    };
  }

  /**
   * Gives a claim back: {@code queen.lease_release_v1}.
   *
   * @param served whether the period counts as done; otherwise the task stays due
   * @return false when the claim was stale: then nothing changed
   * @throws DatabaseException when it could not be given back; then it runs out by itself
   */
  public boolean release(Claim claim, boolean served) {
    return Boolean.TRUE.equals(
        inOwnTransaction(
            dsl ->
                dsl.select(
                        Routines.leaseReleaseV1(
                            val(claim.task()),
                            val(claim.holder()),
                            val(claim.fence()),
                            val(served)))
                    .fetchSingle()
                    .value1()));
  }

  /**
   * Pauses or resumes a task: {@code queen.lease_enable_v1}. A running cycle of a paused one stops
   * at its next chunk.
   *
   * @return whether it changed anything
   * @throws dev.tidemark.retention.core.database.InvalidArgumentException when no runner has
   *     registered the task
   */
  public boolean enable(String task, boolean enabled) {
    return Boolean.TRUE.equals(
        inOwnTransaction(
            dsl ->
                dsl.select(Routines.leaseEnableV1(val(task), val(enabled)))
                    .fetchSingle()
                    .value1()));
  }

  private <T> T inOwnTransaction(Function<DSLContext, T> call) {
    oneConnection.lock();
    try (Session session = Session.open(dataSource)) {
      return session.transaction(PATIENCE, call);
    } finally {
      oneConnection.unlock();
    }
  }
}
