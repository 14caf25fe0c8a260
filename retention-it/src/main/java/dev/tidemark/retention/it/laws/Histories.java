package dev.tidemark.retention.it.laws;

import dev.tidemark.retention.it.laws.BrokerAction.Spot;
import dev.tidemark.retention.it.laws.RetentionAction.Sign;
import dev.tidemark.retention.it.laws.RetentionAction.Tear;
import dev.tidemark.retention.it.model.Address;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** What may happen to a log, and how often. */
final class Histories {
  private static final String ORDERS = World.QUEUES.get(0);
  private static final String CLICKS = World.QUEUES.get(1);
  private static final int HOUR = 3600;

  private static final Address ORDERS_P = new Address(ORDERS, "p");
  private static final Arbitrary<Address> ANYWHERE = addresses();
  private static final Arbitrary<Address> BUSY =
      Arbitraries.frequency(Tuple.of(9, ORDERS_P), Tuple.of(1, new Address(ORDERS, "q")));

  private static final Arbitrary<String> ORDERS_ONLY = Arbitraries.just(ORDERS);

  private Histories() {}

  static Arbitrary<List<HistoryAction>> any(int longest) {
    return Arbitraries.<HistoryAction>frequencyOf(
            Tuple.of(60, once()), Tuple.of(3, rolledBack()), Tuple.of(3, cycle()))
        .list()
        .ofMinSize(1)
        .ofMaxSize(longest)
        .withoutEdgeCases();
  }

  /** One partition, its cursors and its age: what a step may take, batch by batch. */
  static Arbitrary<List<HistoryAction>> ofSteps(int longest) {
    return after(
        imports(BUSY).list().ofSize(1),
        Arbitraries.frequencyOf(
                Tuple.of(3, imports(BUSY)),
                Tuple.of(4, seeks(BUSY)),
                Tuple.of(6, steps(BUSY)),
                Tuple.of(2, purges(BUSY)),
                Tuple.of(1, evictions(BUSY)))
            .list()
            .ofMinSize(2)
            .ofMaxSize(longest));
  }

  /** One partition, and groups that read it: leases, their ends, and messages that come again. */
  static Arbitrary<List<HistoryAction>> ofReading(int longest) {
    HistoryAction noDedup = new BrokerAction.Configure(ORDERS, Map.of("dedupWindowSeconds", 0));
    HistoryAction popOne = new BrokerAction.Pop(ORDERS, "p", "fast", "w1", 1, HOUR);
    Arbitrary<List<HistoryAction>> first =
        Arbitraries.frequencyOf(
            Tuple.of(3, pushes(BUSY).list().ofSize(1)),
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
                            new BrokerAction.AckUpTo(ORDERS_P, "fast", "w1", new Spot(100, 0)),
                            popOne)))));
    return after(
        first,
        Arbitraries.frequencyOf(
                Tuple.of(4, pushes(BUSY)),
                Tuple.of(4, pops(BUSY)),
                Tuple.of(4, acks(BUSY)),
                Tuple.of(1, seeks(BUSY)),
                Tuple.of(1, passes()),
                Tuple.of(1, purges(BUSY)),
                Tuple.of(1, evictions(BUSY)))
            .list()
            .ofMinSize(2)
            .ofMaxSize(longest));
  }

  /** Windows, old data and cursors, and the runner that goes by them. */
  static Arbitrary<List<HistoryAction>> ofCycles() {
    return after(
        Arbitraries.frequencyOf(
                Tuple.of(2, configures(ORDERS_ONLY)),
                Tuple.of(
                    1,
                    Arbitraries.of(
                        new BrokerAction.Configure(
                            ORDERS, Map.of("maxWaitTimeSeconds", 24 * HOUR)))))
            .list()
            .ofSize(1),
        Arbitraries.frequencyOf(
                Tuple.of(5, imports(BUSY)),
                Tuple.of(3, configures(ORDERS_ONLY)),
                Tuple.of(2, seeks(BUSY)),
                Tuple.of(1, passes()),
                Tuple.of(4, cycle()))
            .list()
            .ofMinSize(2)
            .ofMaxSize(10));
  }

  /** Some partitions, full and empty, whose watermarks get wrong. */
  static Arbitrary<List<HistoryAction>> ofTears() {
    return after(
        imports(ANYWHERE).list().ofMinSize(1).ofMaxSize(3),
        Arbitraries.frequencyOf(
                Tuple.of(4, tears()),
                Tuple.of(2, imports(ANYWHERE)),
                Tuple.of(1, purges(ANYWHERE)),
                Tuple.of(2, evictions(ANYWHERE)))
            .list()
            .ofMinSize(1)
            .ofMaxSize(6));
  }

  /**
   * A partition empty and silent for a month, but for one thing that may keep it, and a cleanup
   * beside that. So few that all of them happen.
   */
  static Arbitrary<List<HistoryAction>> ofSilence() {
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

  private static Arbitrary<HistoryAction> rolledBack() {
    return once().list().ofMinSize(1).ofMaxSize(4).map(RetentionAction.RolledBack::new);
  }

  private static Arbitrary<HistoryAction> cycle() {
    return Arbitraries.create(RetentionAction.Cycle::new);
  }

  /** What a transaction may hold. */
  private static Arbitrary<HistoryAction> once() {
    return Arbitraries.frequencyOf(
        Tuple.of(8, imports(ANYWHERE)),
        Tuple.of(5, pushes(ANYWHERE)),
        Tuple.of(6, pops(ANYWHERE)),
        Tuple.of(6, acks(ANYWHERE)),
        Tuple.of(4, seeks(ANYWHERE)),
        Tuple.of(9, steps(ANYWHERE)),
        Tuple.of(3, purges(ANYWHERE)),
        Tuple.of(3, evictions(ANYWHERE)),
        Tuple.of(3, cleanups()),
        Tuple.of(3, passes()),
        Tuple.of(4, configures(queues())),
        Tuple.of(2, tears()),
        Tuple.of(2, vetoes()),
        Tuple.of(1, deletes()));
  }

  private static Arbitrary<HistoryAction> imports(Arbitrary<Address> at) {
    return Combinators.combine(
            at,
            Arbitraries.integers().between(0, 60),
            Arbitraries.integers().between(1, 4).list().ofMinSize(1).ofMaxSize(5),
            Arbitraries.of(1, 0, 5),
            Arbitraries.frequency(Tuple.of(6, 0), Tuple.of(1, -1)))
        .as(RetentionAction.Import::new);
  }

  private static Arbitrary<HistoryAction> pushes(Arbitrary<Address> at) {
    return Arbitraries.frequencyOf(
        Tuple.of(
            4,
            Combinators.combine(at, Arbitraries.integers().between(1, 4))
                .as(BrokerAction.Push::new)),
        Tuple.of(
            4,
            Combinators.combine(
                    at,
                    Arbitraries.integers().between(1, 3),
                    percents(),
                    Arbitraries.of(50, 99, 100, 120).injectNull(0.6))
                .as(BrokerAction.PushAgain::new)),
        Tuple.of(1, at.map(BrokerAction.PushTwice::new)),
        Tuple.of(
            2, Combinators.combine(addressLists(), percents()).as(BrokerAction.PushMulti::new)),
        Tuple.of(
            2,
            Combinators.combine(
                    addressLists(), percents().injectNull(0.7), at, groups(), workers(), spots())
                .as(BrokerAction.Transact::new)));
  }

  private static Arbitrary<HistoryAction> pops(Arbitrary<Address> at) {
    return at.flatMap(
        one ->
            Combinators.combine(
                    Arbitraries.just(one.partition()).injectNull(0.3),
                    groups(),
                    workers(),
                    Arbitraries.of(3, 1, 2, 100),
                    Arbitraries.of(HOUR).injectNull(0.5))
                .as(
                    (partition, group, worker, max, lease) ->
                        new BrokerAction.Pop(one.queue(), partition, group, worker, max, lease)));
  }

  private static Arbitrary<HistoryAction> acks(Arbitrary<Address> at) {
    return Arbitraries.frequencyOf(
        Tuple.of(
            3, Combinators.combine(at, groups(), workers(), spots()).as(BrokerAction.AckUpTo::new)),
        Tuple.of(
            2,
            Combinators.combine(at, groups(), workers(), spots()).as(BrokerAction.AckByHash::new)));
  }

  private static Arbitrary<HistoryAction> seeks(Arbitrary<Address> at) {
    return Combinators.combine(
            at,
            groups(),
            percents(),
            Arbitraries.frequency(Tuple.of(3, 0), Tuple.of(1, 1), Tuple.of(1, -1)))
        .as(BrokerAction.Seek::new);
  }

  private static Arbitrary<HistoryAction> steps(Arbitrary<Address> at) {
    return Combinators.combine(at, cuts().injectNull(0.4), cuts().injectNull(0.2), batches())
        .as(RetentionAction.Step::new);
  }

  private static Arbitrary<HistoryAction> purges(Arbitrary<Address> at) {
    return Combinators.combine(at, cuts().injectNull(0.1), batches())
        .as(RetentionAction.Purge::new);
  }

  private static Arbitrary<HistoryAction> evictions(Arbitrary<Address> at) {
    return Arbitraries.frequencyOf(
        Tuple.of(
            1,
            Combinators.combine(at, cuts().injectNull(0.1), batches())
                .as(RetentionAction.Evict::new)),
        Tuple.of(1, at.map(RetentionAction.Empty::new)));
  }

  private static Arbitrary<HistoryAction> cleanups() {
    return Combinators.combine(
            addresses(),
            Arbitraries.of(Sign.class),
            Arbitraries.of(1L, 0L, 3_600_000_000L),
            Arbitraries.of(1, 2, 100))
        .as(RetentionAction.Cleanup::new);
  }

  private static Arbitrary<HistoryAction> passes() {
    return Arbitraries.of(1, 2, 24, 720).map(RetentionAction.TimePasses::new);
  }

  private static Arbitrary<HistoryAction> configures(Arbitrary<String> queues) {
    return Combinators.combine(
            queues,
            Arbitraries.of(true, true, true, false).injectNull(0.1).optional(0.7),
            Arbitraries.of(0, HOUR, 24 * HOUR, 48 * HOUR).injectNull(0.1).optional(0.4),
            Arbitraries.of(0, HOUR, 5 * HOUR, 24 * HOUR).injectNull(0.1).optional(0.6),
            Arbitraries.of(0, 24 * HOUR, 40 * HOUR).injectNull(0.1).optional(0.3),
            Arbitraries.of(0, HOUR, 24 * HOUR).injectNull(0.2).optional(0.4),
            Arbitraries.of(300, 2 * HOUR).optional(0.2))
        .as(
            (queue, enabled, all, completed, maxWait, dedup, lease) -> {
              Map<String, Object> options = new HashMap<>();
              enabled.ifPresent(v -> options.put("retentionEnabled", v));
              all.ifPresent(v -> options.put("retentionSeconds", v));
              completed.ifPresent(v -> options.put("completedRetentionSeconds", v));
              maxWait.ifPresent(v -> options.put("maxWaitTimeSeconds", v));
              dedup.ifPresent(v -> options.put("dedupWindowSeconds", v));
              lease.ifPresent(v -> options.put("leaseTime", v));
              return new BrokerAction.Configure(queue, options);
            });
  }

  private static Arbitrary<HistoryAction> tears() {
    return Combinators.combine(
            addressLists(), Arbitraries.of(Tear.class), Arbitraries.of(100, 1, 2))
        .as(RetentionAction.TearAndWalk::new);
  }

  private static Arbitrary<HistoryAction> vetoes() {
    return Arbitraries.oneOf(
        addresses().map(BrokerAction.PutDeadLetter::new),
        addresses().map(BrokerAction.DeleteDeadLetter::new),
        Combinators.combine(addresses(), Arbitraries.of(true, false))
            .as(BrokerAction.StreamState::new),
        Combinators.combine(addresses(), groups()).as(BrokerAction.ForgetExpiry::new));
  }

  private static Arbitrary<HistoryAction> deletes() {
    return Arbitraries.frequencyOf(
        Tuple.of(2, Combinators.combine(queues(), groups()).as(BrokerAction.DeleteGroup::new)),
        Tuple.of(1, queues().map(BrokerAction.DeleteQueue::new)));
  }

  private static Arbitrary<Address> addresses() {
    return Arbitraries.frequency(
        Tuple.of(6, new Address(ORDERS, "p")),
        Tuple.of(2, new Address(ORDERS, "q")),
        Tuple.of(1, new Address(CLICKS, "p")),
        Tuple.of(1, new Address(CLICKS, "q")));
  }

  private static Arbitrary<List<Address>> addressLists() {
    return addresses().list().uniqueElements().ofMinSize(1).ofMaxSize(3);
  }

  private static Arbitrary<String> queues() {
    return Arbitraries.frequency(Tuple.of(3, ORDERS), Tuple.of(1, CLICKS));
  }

  private static Arbitrary<String> groups() {
    return Arbitraries.frequency(Tuple.of(3, "fast"), Tuple.of(2, "slow"));
  }

  private static Arbitrary<String> workers() {
    return Arbitraries.frequency(Tuple.of(4, "w1"), Tuple.of(1, "w2"));
  }

  private static Arbitrary<Integer> percents() {
    return Arbitraries.integers().between(0, 100);
  }

  private static Arbitrary<Spot> spots() {
    return Combinators.combine(
            Arbitraries.of(100, 50, 0),
            Arbitraries.frequency(Tuple.of(6, 0), Tuple.of(1, 1), Tuple.of(1, -1)))
        .as(Spot::new);
  }

  private static Arbitrary<Cut> cuts() {
    return Combinators.combine(percents(), Arbitraries.of(1L, 0L, -1L, 7_200_000_000L))
        .as(Cut::new);
  }

  private static Arbitrary<Integer> batches() {
    return Arbitraries.of(1000, 1, 2, 3, 7);
  }
}
