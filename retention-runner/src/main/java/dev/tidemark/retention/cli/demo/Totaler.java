package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.demo.InvariantCheck.Verdict;
import dev.tidemark.retention.cli.demo.Summary.Queue;
import dev.tidemark.retention.cli.demo.Summary.Went;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Adds a run up: what was pushed and acked by the ledger, what went by the history. */
final class Totaler {
  private static final List<String> GROUPS = List.of(Scenario.FAST, Scenario.SLOW);

  private final Scenario scenario;
  private final Ledger ledger;
  private final Latencies latencies;

  Totaler(Scenario scenario, Ledger ledger, Latencies latencies) {
    this.scenario = scenario;
    this.ledger = ledger;
    this.latencies = latencies;
  }

  Summary summary(Duration ran, Look last, Summary.Retention retention, List<Verdict> invariants) {
    List<Queue> queues = scenario.queues().stream().map(q -> queue(q, last)).toList();
    double seconds = ran.toMillis() / 1000.0;
    long pushed = sum(queues, Queue::pushedMessages);
    return new Summary(
        seconds,
        queues,
        new Summary.Totals(
            pushed,
            pushed / seconds,
            byName(GROUPS, group -> sum(queues, q -> q.acked().getOrDefault(group, 0L))),
            byName(
                Rule.ALL,
                rule ->
                    new Went(
                        sum(queues, q -> went(q, rule).segments()),
                        sum(queues, q -> went(q, rule).messages()))),
            sum(queues, Queue::liveMessages)),
        new Summary.Pushes(latencies.of(Latencies.SINGLE), latencies.of(Latencies.MULTI)),
        ledger.duplicates(),
        ledger.acksRefused(),
        retention,
        scenario.fileMessages().map(file -> new Summary.Replay(file, pushed)).orElse(null),
        invariants);
  }

  private Queue queue(QueuePlan plan, Look last) {
    String name = plan.name();
    Map<String, Went> deleted =
        byName(
            Rule.ALL,
            rule -> new Went(last.deletedSegments(name, rule), last.deletedMessages(name, rule)));
    return new Queue(
        name,
        plan.windows(),
        plan.partitions().size(),
        ledger.segments(name),
        ledger.messages(name),
        byName(GROUPS, group -> ledger.acked(name, group)),
        deleted,
        ledger.segments(name) - deleted.values().stream().mapToLong(Went::segments).sum(),
        last.liveMessages(name));
  }

  private static Went went(Queue queue, String rule) {
    return queue.deleted().getOrDefault(rule, new Went(0, 0));
  }

  private static long sum(List<Queue> queues, ToLongFunction<Queue> part) {
    return queues.stream().mapToLong(part).sum();
  }

  private static <T> Map<String, T> byName(List<String> names, Function<String, T> value) {
    Map<String, T> map = new LinkedHashMap<>();
    names.forEach(name -> map.put(name, value.apply(name)));
    return map;
  }
}
