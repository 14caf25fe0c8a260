package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.step.Cut;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Each thing that may happen to a log, with arguments that matter. */
final class Actions {
  static final int HOUR = 3600;

  private Actions() {}

  static Arbitrary<HistoryAction> cycle() {
    return Arbitraries.create(RetentionAction.Cycle::new);
  }

  static Arbitrary<HistoryAction> imports(Arbitrary<Address> at) {
    return Combinators.combine(
            at,
            Arbitraries.integers().between(0, 60),
            Arbitraries.integers().between(1, 4).list().ofMinSize(1).ofMaxSize(5),
            Arbitraries.of(1, 0, 5),
            Arbitraries.frequency(Tuple.of(6, 0), Tuple.of(1, -1)))
        .as(RetentionAction.Import::new);
  }

  static Arbitrary<HistoryAction> pushes(Arbitrary<Address> at) {
    return Arbitraries.frequencyOf(
        Tuple.of(
            4,
            Combinators.combine(at, Arbitraries.integers().between(1, 4))
                .as(BrokerAction.Push::new)),
        Tuple.of(
            4,
            Combinators.combine(at, Arbitraries.integers().between(1, 3), percents(), known())
                .as(BrokerAction.PushAgain::new)),
        Tuple.of(1, at.map(BrokerAction.PushTwice::new)),
        Tuple.of(
            2,
            Combinators.combine(addressLists(), percents(), known())
                .as(BrokerAction.PushMulti::new)),
        Tuple.of(
            2,
            Combinators.combine(addressLists(), percents().injectNull(0.7), readers(at), spots())
                .as(BrokerAction.Transact::new)));
  }

  static Arbitrary<HistoryAction> pops(Arbitrary<Address> at) {
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

  static Arbitrary<HistoryAction> acks(Arbitrary<Address> at) {
    return Arbitraries.frequencyOf(
        Tuple.of(3, Combinators.combine(readers(at), spots()).as(BrokerAction.AckUpTo::new)),
        Tuple.of(2, Combinators.combine(readers(at), spots()).as(BrokerAction.AckByHash::new)));
  }

  static Arbitrary<HistoryAction> seeks(Arbitrary<Address> at) {
    return Combinators.combine(
            at,
            groups(),
            percents(),
            Arbitraries.frequency(Tuple.of(3, 0), Tuple.of(1, 1), Tuple.of(1, -1)))
        .as(BrokerAction.Seek::new);
  }

  static Arbitrary<HistoryAction> steps(Arbitrary<Address> at) {
    return Combinators.combine(at, cuts().injectNull(0.4), cuts().injectNull(0.2), batches())
        .as(RetentionAction.Step::new);
  }

  static Arbitrary<HistoryAction> drains(Arbitrary<Address> at) {
    return Combinators.combine(at, cuts().injectNull(0.4), cuts().injectNull(0.2), batches())
        .as(RetentionAction.Drain::new);
  }

  static Arbitrary<HistoryAction> purges(Arbitrary<Address> at) {
    return Combinators.combine(at, cuts().injectNull(0.1), batches())
        .as(RetentionAction.Purge::new);
  }

  static Arbitrary<HistoryAction> evictions(Arbitrary<Address> at) {
    return Arbitraries.frequencyOf(
        Tuple.of(
            1,
            Combinators.combine(at, cuts().injectNull(0.1), batches())
                .as(RetentionAction.Evict::new)),
        Tuple.of(1, at.map(RetentionAction.Empty::new)));
  }

  static Arbitrary<HistoryAction> cleanups() {
    return Combinators.combine(
            addresses(),
            Arbitraries.of(Sign.class),
            Arbitraries.of(1L, 0L, 3_600_000_000L),
            Arbitraries.of(1, 2, 100))
        .as(RetentionAction.Cleanup::new);
  }

  static Arbitrary<HistoryAction> passes() {
    return Arbitraries.of(1, 2, 24, 720).map(RetentionAction.TimePasses::new);
  }

  static Arbitrary<HistoryAction> configures(Arbitrary<String> queues) {
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

  static Arbitrary<HistoryAction> tears() {
    return Combinators.combine(
            addressLists(), Arbitraries.of(Tear.class), Arbitraries.of(100, 1, 2))
        .as(RetentionAction.TearAndWalk::new);
  }

  static Arbitrary<HistoryAction> vetoes() {
    return Arbitraries.oneOf(
        addresses().map(BrokerAction.PutDeadLetter::new),
        addresses().map(BrokerAction.DeleteDeadLetter::new),
        Combinators.combine(addresses(), Arbitraries.of(true, false))
            .as(BrokerAction.StreamState::new),
        Combinators.combine(addresses(), groups()).as(BrokerAction.ForgetExpiry::new));
  }

  static Arbitrary<HistoryAction> deletes() {
    return Arbitraries.frequencyOf(
        Tuple.of(2, Combinators.combine(queues(), groups()).as(BrokerAction.DeleteGroup::new)),
        Tuple.of(1, queues().map(BrokerAction.DeleteQueue::new)));
  }

  static Arbitrary<Address> addresses() {
    return Arbitraries.frequency(
        Tuple.of(6, new Address(World.ORDERS, "p")),
        Tuple.of(2, new Address(World.ORDERS, "q")),
        Tuple.of(1, new Address(World.CLICKS, "p")),
        Tuple.of(1, new Address(World.CLICKS, "q")));
  }

  private static Arbitrary<List<Address>> addressLists() {
    return addresses().list().uniqueElements().ofMinSize(1).ofMaxSize(3);
  }

  static Arbitrary<String> queues() {
    return Arbitraries.frequency(Tuple.of(3, World.ORDERS), Tuple.of(1, World.CLICKS));
  }

  private static Arbitrary<String> groups() {
    return Arbitraries.frequency(
        Tuple.of(3, "fast"), Tuple.of(1, "slow"), Tuple.of(2, "__QUEUE_MODE__"));
  }

  private static Arbitrary<String> workers() {
    return Arbitraries.frequency(Tuple.of(4, "w1"), Tuple.of(1, "w2"));
  }

  private static Arbitrary<Integer> known() {
    return Arbitraries.of(50, 99, 100, 120).injectNull(0.6);
  }

  private static Arbitrary<Integer> percents() {
    return Arbitraries.integers().between(0, 100);
  }

  private static Arbitrary<Reader> readers(Arbitrary<Address> at) {
    return Combinators.combine(at, groups(), workers(), Arbitraries.of(true, true, false))
        .as(Reader::new);
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
