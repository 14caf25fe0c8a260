package dev.tidemark.retention.it.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.plan.ExplainedSession.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A call, and what it may read whatever the tables hold and whatever the planner believes of them.
 *
 * @param most rows of each table
 * @param sorted rows that a sort may take
 * @param buffers pages in all, where no dead rows lie in the way
 * @param ranges for the index that a table is read by: what its index condition holds
 */
record Probe(
    String name,
    String statement,
    List<Object> arguments,
    long most,
    long sorted,
    long buffers,
    List<Range> ranges) {
  private static final Set<String> TABLES =
      Set.of("log_partitions", "log_segments", "log_txns", "log_consumers", "log_dlq", "state");

  /** An index, and the parts of its condition that bound the range. */
  record Range(String index, List<String> bounds) {}

  static Probe of(String name, String statement, Object... arguments) {
    return new Probe(name, statement, List.of(arguments), 0, 0, 0, List.of());
  }

  Probe reads(long rows, long pages) {
    return new Probe(name, statement, arguments, rows, rows, pages, ranges);
  }

  Probe sorts(long rows) {
    return new Probe(name, statement, arguments, most, rows, buffers, ranges);
  }

  /** Some scan of this index is bounded by all of these. */
  Probe range(String index, String... bounds) {
    List<Range> more = new ArrayList<>(ranges);
    more.add(new Range(index, List.of(bounds)));
    return new Probe(name, statement, arguments, most, sorted, buffers, List.copyOf(more));
  }

  List<Plan> in(ExplainedSession session) {
    return session.run(statement, arguments.toArray());
  }

  /** No table is read through, and no more is read or sorted than may be. */
  void bounded(List<Plan> plans) {
    assertThat(plans).as("plans").isNotEmpty();
    for (Plan plan : plans) {
      for (PlanNode node : (Iterable<PlanNode>) plan.root().all()::iterator) {
        String what = node + "\nof " + plan.query();
        if (TABLES.contains(node.table()) && node.scans()) {
          assertThat(node.type()).as(what).isIn("Index Scan", "Index Only Scan");
        }
        if (node.type().equals("Hash Join") || node.type().equals("Merge Join")) {
          assertThat(node.all().map(PlanNode::table)).as(what).doesNotContainAnyElementsOf(TABLES);
        }
        if (node.type().contains("Sort")) {
          assertThat(node.children().get(0).rows()).as(what).isLessThanOrEqualTo(sorted);
        }
      }
    }
    for (String table : TABLES) {
      double read =
          scans(plans).filter(n -> n.table().equals(table)).mapToDouble(PlanNode::read).sum();
      assertThat(read).as("rows of %s in %s", table, name).isLessThanOrEqualTo(most);
    }
  }

  /** Every range begins and ends by index condition. */
  void ranged(List<Plan> plans) {
    assertThat(scans(plans).filter(n -> TABLES.contains(n.table())))
        .as(name)
        .allSatisfy(node -> assertThat(node.condition()).as(node.toString()).isNotEmpty());
    for (Range range : ranges) {
      assertThat(scans(plans).filter(n -> n.index().equals(range.index())).toList())
          .as("%s by %s", name, range)
          .anySatisfy(node -> assertThat(node.condition()).contains(range.bounds()));
    }
  }

  void paged(List<Plan> plans) {
    // A statement counts those within it, so that a page may count twice; the outermost says
    // nothing.
    assertThat(plans.stream().mapToLong(plan -> plan.root().buffers()).sum())
        .as("pages of %s", name)
        .isLessThanOrEqualTo(buffers);
  }

  private static Stream<PlanNode> scans(List<Plan> plans) {
    return plans.stream().flatMap(plan -> plan.root().all()).filter(PlanNode::scans);
  }
}
