package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.step.Cut;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** What may happen to a log, one thing after the other, and how often. */
public final class Histories {
  private static final String ORDERS = World.ORDERS;
  private static final int HOUR = Actions.HOUR;

  private static final Address ORDERS_P = new Address(ORDERS, "p");
  private static final Arbitrary<Address> ANYWHERE = Actions.addresses();
  private static final Arbitrary<Address> BUSY =
      Arbitraries.frequency(Tuple.of(9, ORDERS_P), Tuple.of(1, new Address(ORDERS, "q")));

  private static final Arbitrary<String> ORDERS_ONLY = Arbitraries.just(ORDERS);

  private Histories() {}

  public static Arbitrary<List<HistoryAction>> any(int longest) {
    return Arbitraries.<HistoryAction>frequencyOf(
            Tuple.of(60, once()), Tuple.of(3, rolledBack()), Tuple.of(3, Actions.cycle()))
        .list()
        .ofMinSize(1)
        .ofMaxSize(longest)
        .withoutEdgeCases();
  }

  /** One partition, its cursors and its age: what a step may take, batch by batch. */
  public static Arbitrary<List<HistoryAction>> ofSteps(int longest) {
    return after(
        Actions.imports(BUSY).list().ofSize(1),
        Arbitraries.frequencyOf(
                Tuple.of(3, Actions.imports(BUSY)),
                Tuple.of(4, Actions.seeks(BUSY)),
                Tuple.of(6, Actions.steps(BUSY)),
                Tuple.of(2, Actions.purges(BUSY)),
                Tuple.of(1, Actions.evictions(BUSY)))
            .list()
            .ofMinSize(2)
            .ofMaxSize(longest));
  }

  /** One partition, and groups that read it: leases, their ends, and messages that come again. */
  public static Arbitrary<List<HistoryAction>> ofReading(int longest) {
    HistoryAction noDedup = new BrokerAction.Configure(ORDERS, Map.of("dedupWindowSeconds", 0));
    HistoryAction popOne = new BrokerAction.Pop(ORDERS, "p", "fast", "w1", 1, HOUR);
    Arbitrary<List<HistoryAction>> first =
        Arbitraries.frequencyOf(
            Tuple.of(3, Actions.pushes(BUSY).list().ofSize(1)),
            // One message twice, where its group has done the first and leased the second.
            Tuple.of(
                1,
                Arbitraries.of(
                    List.of(
                        List.of(
                            noDedup,
                            new BrokerAction.Push(ORDERS_P, 1),
                            new BrokerAction.PushAgain(ORDERS_P, 1, 0, null),
                            popOne,
                            new BrokerAction.AckUpTo(
                                new Reader(ORDERS_P, "fast", "w1", false), new Spot(100, 0)),
                            popOne)))));
    return after(
        first,
        Arbitraries.frequencyOf(
                Tuple.of(4, Actions.pushes(BUSY)),
                Tuple.of(4, Actions.pops(BUSY)),
                Tuple.of(4, Actions.acks(BUSY)),
                Tuple.of(1, Actions.seeks(BUSY)),
                Tuple.of(1, Actions.passes()),
                Tuple.of(1, Actions.purges(BUSY)),
                Tuple.of(1, Actions.evictions(BUSY)))
            .list()
            .ofMinSize(2)
            .ofMaxSize(longest));
  }

  /** Windows, old data and cursors, and the runner that goes by them. */
  public static Arbitrary<List<HistoryAction>> ofCycles() {
    Arbitrary<HistoryAction> windows =
        Arbitraries.of(
            new BrokerAction.Configure(
                ORDERS, Map.of("retentionEnabled", true, "retentionSeconds", 24 * HOUR)),
            new BrokerAction.Configure(
                ORDERS, Map.of("retentionEnabled", true, "completedRetentionSeconds", 5 * HOUR)),
            new BrokerAction.Configure(ORDERS, Map.of("maxWaitTimeSeconds", 24 * HOUR)));
    Arbitrary<List<HistoryAction>> change =
        Arbitraries.frequencyOf(
                Tuple.of(2, Actions.configures(ORDERS_ONLY)),
                Tuple.of(2, Actions.imports(BUSY)),
                Tuple.of(1, Actions.seeks(BUSY)),
                Tuple.of(2, Actions.drains(BUSY)),
                Tuple.of(2, Actions.passes()))
            .list()
            .ofMaxSize(3);
    // Something to take, a cursor past most of it, a change, and a cycle.
    Arbitrary<List<HistoryAction>> round =
        Combinators.combine(
                Actions.imports(BUSY),
                Arbitraries.of(100, 100, 50, 0),
                Arbitraries.of(24, 24, 1),
                change,
                Actions.cycle())
            .as(
                (load, percent, hours, changes, cycle) -> {
                  List<HistoryAction> actions = new ArrayList<>();
                  actions.add(load);
                  actions.add(new BrokerAction.Seek(ORDERS_P, "fast", percent, 0));
                  actions.add(new RetentionAction.TimePasses(hours));
                  actions.addAll(changes);
                  actions.add(cycle);
                  return actions;
                });
    return after(
        windows.list().ofMinSize(1).ofMaxSize(2),
        round
            .list()
            .ofMinSize(1)
            .ofMaxSize(2)
            .map(rounds -> rounds.stream().flatMap(List::stream).toList()));
  }

  /** Some partitions, full and empty, whose watermarks get wrong. */
  public static Arbitrary<List<HistoryAction>> ofTears() {
    return after(
        Actions.imports(ANYWHERE).list().ofMinSize(1).ofMaxSize(3),
        Arbitraries.frequencyOf(
                Tuple.of(4, Actions.tears()),
                Tuple.of(2, Actions.imports(ANYWHERE)),
                Tuple.of(1, Actions.purges(ANYWHERE)),
                Tuple.of(2, Actions.evictions(ANYWHERE)))
            .list()
            .ofMinSize(1)
            .ofMaxSize(6));
  }

  /**
   * A partition empty and silent for a month, but for one thing that may keep it, and a cleanup
   * beside that. So few that all of them happen.
   */
  public static Arbitrary<List<HistoryAction>> ofSilence() {
    List<List<HistoryAction>> histories = new ArrayList<>();
    for (Sign sign : Sign.values()) {
      for (long micros : new long[] {0, 1}) {
        histories.add(silence(new RetentionAction.Touch(ORDERS_P, sign), cleanup(sign, micros)));
      }
    }
    HistoryAction late = cleanup(Sign.WRITTEN, 7_200_000_000L);
    HistoryAction letter = new BrokerAction.PutDeadLetter(ORDERS_P);
    HistoryAction state = new BrokerAction.StreamState(ORDERS_P, true);
    histories.add(silence(late));
    histories.add(silence(letter, late, new BrokerAction.DeleteDeadLetter(ORDERS_P), late));
    histories.add(silence(state, late, new BrokerAction.StreamState(ORDERS_P, false), late));
    histories.add(
        silence(
            new BrokerAction.ForgetExpiry(ORDERS_P, "fast"),
            late,
            new BrokerAction.Seek(ORDERS_P, "fast", 100, 0),
            late));
    histories.add(
        List.of(
            new BrokerAction.Push(ORDERS_P, 1),
            new RetentionAction.TimePasses(720),
            late,
            new RetentionAction.Empty(ORDERS_P),
            late));
    histories.add(
        List.of(new BrokerAction.Push(ORDERS_P, 1), letter, new BrokerAction.DeleteQueue(ORDERS)));
    return Arbitraries.of(histories);
  }

  /** What hardly happens by chance; so few that all of them happen. */
  public static Arbitrary<List<HistoryAction>> ofRareThings() {
    Address clicksP = new Address(World.CLICKS, "p");
    return Arbitraries.of(
        List.of(
            // One group in two queues, and it goes from one.
            List.<HistoryAction>of(
                new BrokerAction.Push(ORDERS_P, 1),
                new BrokerAction.Push(clicksP, 1),
                new BrokerAction.Seek(ORDERS_P, "fast", 100, 0),
                new BrokerAction.Seek(clicksP, "fast", 100, 0),
                new BrokerAction.DeleteGroup(ORDERS, "fast")),
            // Who says that it knows more than there is knows nothing.
            List.<HistoryAction>of(
                new BrokerAction.Push(ORDERS_P, 2),
                new BrokerAction.PushAgain(ORDERS_P, 1, 0, 120)),
            List.<HistoryAction>of(
                new BrokerAction.Push(ORDERS_P, 2),
                new BrokerAction.Push(clicksP, 2),
                new BrokerAction.PushMulti(List.of(clicksP, ORDERS_P), 0, 120)),
            // What one worker has, another one of its group does not get.
            List.<HistoryAction>of(
                new BrokerAction.Push(ORDERS_P, 2),
                new BrokerAction.Pop(ORDERS, "p", "fast", "w1", 1, HOUR),
                new BrokerAction.Pop(ORDERS, "p", "fast", "w2", 1, HOUR)),
            // What each is about, at least once in every run.
            List.<HistoryAction>of(
                new BrokerAction.Push(ORDERS_P, 4),
                new BrokerAction.AckByHash(
                    new Reader(ORDERS_P, "fast", "w1", true), new Spot(50, 0)),
                new BrokerAction.AckByHash(
                    new Reader(ORDERS_P, "slow", "w1", false), new Spot(50, 0)),
                new BrokerAction.Transact(
                    List.of(clicksP),
                    null,
                    new Reader(ORDERS_P, "slow", "w1", false),
                    new Spot(100, 0)),
                new BrokerAction.Transact(
                    List.of(clicksP),
                    null,
                    new Reader(ORDERS_P, "fast", "w1", true),
                    new Spot(100, 0))),
            List.<HistoryAction>of(
                new RetentionAction.Import(ORDERS_P, 30, List.of(1, 2, 1), 1, 0),
                new BrokerAction.Seek(ORDERS_P, "__QUEUE_MODE__", 50, 0),
                new BrokerAction.Seek(ORDERS_P, "fast", 100, 0),
                new RetentionAction.RolledBack(
                    List.of(new RetentionAction.Step(ORDERS_P, new Cut(100, 1), null, 7))),
                new RetentionAction.Step(ORDERS_P, null, new Cut(100, 1), 7),
                new RetentionAction.Evict(ORDERS_P, new Cut(100, 1), 7)),
            // By the drain: not while the windows are off, by one rule, and by the other.
            List.<HistoryAction>of(
                new RetentionAction.Import(ORDERS_P, 30, List.of(1, 2, 1), 1, 0),
                new BrokerAction.Seek(ORDERS_P, "fast", 100, 0),
                new RetentionAction.Drain(ORDERS_P, new Cut(0, 1), null, 1),
                new BrokerAction.Configure(
                    ORDERS,
                    Map.of(
                        "retentionEnabled",
                        true,
                        "retentionSeconds",
                        24 * HOUR,
                        "completedRetentionSeconds",
                        24 * HOUR)),
                new RetentionAction.Drain(ORDERS_P, new Cut(0, 1), null, 1),
                new RetentionAction.Drain(ORDERS_P, null, new Cut(0, 1), 7),
                new RetentionAction.Drain(ORDERS_P, new Cut(100, 100_000_000_000L), null, 7)),
            // The second segment knows all, so its duplicate is not looked for.
            List.<HistoryAction>of(
                new BrokerAction.Push(ORDERS_P, 2),
                new BrokerAction.Push(clicksP, 2),
                new BrokerAction.PushMulti(List.of(clicksP, ORDERS_P), 0, 100))));
  }

  private static HistoryAction cleanup(Sign sign, long micros) {
    return new RetentionAction.Cleanup(ORDERS_P, sign, micros, 1);
  }

  private static List<HistoryAction> silence(HistoryAction... then) {
    List<HistoryAction> history = new ArrayList<>();
    history.add(new BrokerAction.Push(ORDERS_P, 1));
    history.add(new BrokerAction.Pop(ORDERS, "p", "fast", "w1", 1, HOUR));
    history.add(new RetentionAction.Empty(ORDERS_P));
    history.add(new RetentionAction.TimePasses(720));
    history.addAll(List.of(then));
    // Where it went, the next message finds another one.
    history.add(new BrokerAction.Push(ORDERS_P, 1));
    return history;
  }

  private static Arbitrary<List<HistoryAction>> after(
      Arbitrary<List<HistoryAction>> first, Arbitrary<List<HistoryAction>> then) {
    return Combinators.combine(first, then)
        .as((a, b) -> Stream.concat(a.stream(), b.stream()).toList())
        .withoutEdgeCases();
  }

  /** What a transaction may hold. */
  private static Arbitrary<HistoryAction> once() {
    return Arbitraries.frequencyOf(
        Tuple.of(8, Actions.imports(ANYWHERE)),
        Tuple.of(5, Actions.pushes(ANYWHERE)),
        Tuple.of(6, Actions.pops(ANYWHERE)),
        Tuple.of(6, Actions.acks(ANYWHERE)),
        Tuple.of(4, Actions.seeks(ANYWHERE)),
        Tuple.of(9, Actions.steps(ANYWHERE)),
        Tuple.of(3, Actions.purges(ANYWHERE)),
        Tuple.of(3, Actions.evictions(ANYWHERE)),
        Tuple.of(3, Actions.cleanups()),
        Tuple.of(3, Actions.passes()),
        Tuple.of(4, Actions.configures(Actions.queues())),
        Tuple.of(2, Actions.tears()),
        Tuple.of(2, Actions.vetoes()),
        Tuple.of(1, Actions.deletes()));
  }

  private static Arbitrary<HistoryAction> rolledBack() {
    // Old segments first, so that there is something to take.
    return after(
            Actions.imports(Arbitraries.just(ORDERS_P)).list().ofSize(1),
            Arbitraries.frequencyOf(
                    Tuple.of(1, once()),
                    Tuple.of(3, Actions.steps(Arbitraries.just(ORDERS_P))),
                    Tuple.of(1, Actions.purges(Arbitraries.just(ORDERS_P))),
                    Tuple.of(1, Actions.evictions(Arbitraries.just(ORDERS_P))),
                    Tuple.of(1, Actions.pops(Arbitraries.just(ORDERS_P))))
                .list()
                .ofMinSize(1)
                .ofMaxSize(4))
        .map(RetentionAction.RolledBack::new);
  }
}
