package dev.tidemark.retention.it.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.model.Answer;
import dev.tidemark.retention.it.model.Facts;
import dev.tidemark.retention.it.model.Log;
import dev.tidemark.retention.it.model.Partition;
import dev.tidemark.retention.it.step.Cut;
import dev.tidemark.retention.it.support.Invariants;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A database and the model of it, to which the same things happen. After each of them both have
 * given the same answer and are in the same state, or it fails with what differs.
 */
public final class World {
  static final String ORDERS = "history-orders";
  static final String CLICKS = "history-clicks";

  private static final List<String> QUEUES = List.of(ORDERS, CLICKS);
  private static final UUID NOBODY = new UUID(0, 1);

  /**
   * Windows are whole hours long. The server's clock goes on after a look: on which side of its
   * window's end a time is that was there at the look, cannot be told.
   */
  private static final Duration NOT_A_WINDOW = Duration.ofMinutes(90);

  private final Sql sql;
  private final BrokerCalls broker;
  private final RetentionCalls retention;
  private final Names names;
  private final Deletions deletions = new Deletions();
  private Log model = new Log();
  private Look last;
  private final Tally tally;
  private boolean inTransaction;
  private HistoryAction current;

  private World(Sql sql, DataSource pool, Tally tally) {
    this.tally = tally;
    this.sql = sql;
    this.broker = new BrokerCalls(sql);
    this.retention = new RetentionCalls(sql, pool);
    this.names = new Names();
    clear();
    this.last = look(sql.value("select clock_timestamp()"));
  }

  /**
   * Lets a history happen from the beginning, in its own world; nothing of it is left. One at a
   * time: a shrinking that has run out of time may still be in the middle of one.
   *
   * @param pool for the actions that are a whole cycle
   * @param tally of the answers
   */
  public static synchronized void run(
      Sql sql, DataSource pool, List<HistoryAction> history, Tally tally) {
    World world = new World(sql, pool, tally);
    int done = 0;
    try {
      for (HistoryAction action : history) {
        done++;
        world.current = action;
        action.on(world);
      }
    } catch (AssertionError | SqlFailure e) {
      throw new AssertionError(story(history.subList(0, done)) + e.getMessage(), e);
    } finally {
      world.clear();
    }
  }

  private static String story(List<HistoryAction> history) {
    StringBuilder story = new StringBuilder("after this history:\n");
    for (HistoryAction action : history) {
      story.append("  ").append(action).append('\n');
    }
    return story.toString();
  }

  BrokerCalls broker() {
    return broker;
  }

  RetentionCalls retention() {
    return retention;
  }

  Sql sql() {
    return sql;
  }

  Log model() {
    return model;
  }

  Names names() {
    return names;
  }

  Instant now() {
    return last.clock;
  }

  /** The id of what is at this address; of nothing, when nothing is. */
  UUID id(Address address) {
    Partition partition = model.at(address);
    return partition == null ? NOBODY : partition.id();
  }

  /** First contact without a push. */
  void provision(Address address) {
    expect(
        () -> {
          sql.rows(
              "select queen.log_partition_provision_v1(?, ?)",
              address.queue(),
              address.partition());
          return new Answer.Done();
        },
        stamps -> {
          model.provision(address, stamps);
          return new Answer.Done();
        });
  }

  /** A cutoff beside a segment's time; the last stamp's, when none is live; null = off. */
  Instant besideSegment(Address address, Cut cut) {
    Partition partition = model.at(address);
    List<Instant> times =
        partition == null
            ? List.of()
            : partition.segments().stream().map(s -> s.createdAt()).toList();
    return cut == null ? null : cut.of(times, lastStamp(address));
  }

  /** The same beside a sidecar row's time. */
  Instant besideHashes(Address address, Cut cut) {
    Partition partition = model.at(address);
    List<Instant> times =
        partition == null
            ? List.of()
            : partition.sidecar().stream().map(r -> r.createdAt()).toList();
    return cut == null ? null : cut.of(times, lastStamp(address));
  }

  /** When the last segment was written; when none was, a time that is no end of any window. */
  Instant lastStamp(Address address) {
    Partition partition = model.at(address);
    Instant stamp = partition == null ? null : partition.row().lastCreatedAt();
    return stamp == null ? now().minus(NOT_A_WINDOW) : stamp;
  }

  /** Lets it happen to both; no rule deletes anything that a cursor has not committed. */
  void expect(Supplier<Answer> database, Function<Look, Answer> model) {
    expect(address -> Instant.MIN, database, model);
  }

  /**
   * Lets it happen to both.
   *
   * @param age before this time a rule may take a segment of that partition whoever has read it
   */
  void expect(
      Function<Address, Instant> age, Supplier<Answer> database, Function<Look, Answer> model) {
    Answer is = answer(database);
    Look after = look(inTransaction ? last.now() : last.clock);
    Answer expected = model.apply(after);
    assertThat(is).as("the answer (expected: the model's)").isEqualTo(expected);
    SortedMap<String, Object> facts = Facts.of(this.model, names::of);
    List<String> differences = Facts.differences(after.facts(), facts);
    if (!differences.isEmpty()) {
      throw new AssertionError("there differs:\n  " + String.join("\n  ", differences));
    }
    assertThat(Invariants.broken(sql)).as("invariants").isEmpty();
    if (!inTransaction) {
      // A transaction with two steps is one that no step may be part of.
      assertThat(sql.rows("select * from queen.log_invariants_v1()"))
          .as("log_invariants_v1")
          .isEmpty();
    }
    deletions.between(last, after, this.model.partitions(), age);
    last = after;
    tally.count(current, is);
  }

  private Answer answer(Supplier<Answer> database) {
    if (inTransaction) {
      sql.run("savepoint before_the_action");
    }
    try {
      return database.get();
    } catch (SqlFailure e) {
      if (inTransaction) {
        sql.run("rollback to savepoint before_the_action");
      }
      if (List.of("22023", "TM003", "TM004").contains(e.state())) {
        return new Answer.Refused(e.state());
      }
      throw e;
    }
  }

  /** Lets these happen in one transaction, which is rolled back then. */
  void undone(List<HistoryAction> actions) {
    Log before = model.copy();
    Look seen = last;
    Deletions counted = deletions.copy();
    sql.begin();
    inTransaction = true;
    last = look(seen.clock);
    try {
      actions.forEach(action -> action.on(this));
    } finally {
      sql.rollback();
      inTransaction = false;
      model = before;
      deletions.restore(counted);
      last = seen;
    }
    expect(Answer.Done::new, stamps -> new Answer.Done());
  }

  boolean inTransaction() {
    return inTransaction;
  }

  private Look look(Instant before) {
    return new Look(sql, QUEUES.toArray(String[]::new), names, before);
  }

  /** Plainly, so that a function that is broken breaks no other history than its own. */
  private void clear() {
    Object[] known = names.ids();
    sql.run(
        "delete from queen.log_txns where partition_id = any (?) or partition_id in ("
            + "select p.id from queen.log_partitions p join queen.queues q on q.id = p.queue_id"
            + " where q.name = any (?))",
        known,
        QUEUES.toArray(String[]::new));
    sql.run(
        "delete from queen.queues where name = any (?)", (Object) QUEUES.toArray(String[]::new));
    sql.run("delete from queen.log_dlq where partition_id = any (?)", (Object) known);
    sql.run("delete from queen_streams.state where partition_id = any (?)", (Object) known);
    sql.run("delete from queen.retention_history where partition_id = any (?)", (Object) known);
  }
}
