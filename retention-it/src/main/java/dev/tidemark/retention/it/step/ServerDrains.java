package dev.tidemark.retention.it.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.step.Drain.Cutoffs;
import dev.tidemark.retention.it.step.Drain.What;
import dev.tidemark.retention.it.step.ServerDrain.Answer;
import dev.tidemark.retention.it.support.Sql;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Calls of the drains on the server, for some partitions of a queue whose windows cover them. */
public final class ServerDrains {
  private final Sql sql;
  private final UUID queue;
  private final List<UUID> partitions;
  private final Cutoffs cutoffs;

  public ServerDrains(Sql sql, UUID queue, List<UUID> partitions, Cutoffs cutoffs) {
    this.sql = sql;
    this.queue = queue;
    this.partitions = List.copyOf(partitions);
    this.cutoffs = cutoffs;
  }

  /**
   * One call, for the partitions from {@code first} on.
   *
   * @param sized whether each partition says how large its first batch is
   */
  public record ServerTurn(
      int first, What what, int maxRows, int batches, int timeMs, boolean sized) {}

  public void take(ServerTurn turn) {
    List<UUID> some = partitions.subList(turn.first() % partitions.size(), partitions.size());
    ServerDrain drain =
        of(turn.what(), some, turn.maxRows())
            .with("p_batches", turn.batches())
            .with("p_time_ms", turn.timeMs());
    if (turn.sized()) {
      drain = drain.with("p_rows", sizes(some.size()));
    }
    Answer answer = drain.run(sql);
    if (off(turn.what())) {
      return;
    }
    assertThat(answer.stopped()).isIn(null, "time");
    assertThat(answer.steps()).as("one at least").isNotEmpty();
    assertThat(answer.each("sqlstate")).containsOnlyNulls();
    Map<UUID, Integer> steps = new HashMap<>();
    answer.partitions().forEach(id -> steps.merge(id, 1, Integer::sum));
    assertThat(steps.values()).allMatch(count -> count <= turn.batches());
  }

  /** What an undisturbed caller does: each drain for all partitions that are not done with. */
  public void finish(int maxRows) {
    for (What what : What.values()) {
      List<UUID> left = partitions;
      while (!left.isEmpty()) {
        Answer answer = of(what, left, maxRows).run(sql);
        assertThat(off(what) || !answer.steps().isEmpty()).as("%s goes on", what).isTrue();
        left = off(what) ? List.of() : without(left, answer);
      }
    }
  }

  private static List<UUID> without(List<UUID> partitions, Answer answer) {
    List<UUID> left = new ArrayList<>(partitions);
    List<UUID> served = answer.partitions();
    List<@Nullable Object> next = answer.each("next_rows");
    for (int i = 0; i < served.size(); i++) {
      if (next.get(i) == null) {
        left.remove(served.get(i));
      }
    }
    return left;
  }

  /** One cutoff that is null is a rule that is off: such a drain is told so and does nothing. */
  private boolean off(What what) {
    return what == What.SIDECAR && cutoffs.txns() == null
        || what == What.MAX_WAIT && cutoffs.maxWait() == null;
  }

  private ServerDrain of(What what, List<UUID> some, int maxRows) {
    return switch (what) {
      case RULES -> ServerDrain.retention(queue, some, cutoffs.all(), cutoffs.completed(), maxRows);
      case SIDECAR -> single(StepKind.SIDECAR, some, cutoffs.txns(), maxRows);
      case MAX_WAIT -> single(StepKind.MAX_WAIT, some, cutoffs.maxWait(), maxRows);
    };
  }

  private ServerDrain single(
      StepKind kind, List<UUID> some, @Nullable Instant cutoff, int maxRows) {
    return ServerDrain.of(kind, queue, some, cutoff, maxRows);
  }

  private static Integer[] sizes(int partitions) {
    Integer[] sizes = new Integer[partitions];
    Arrays.setAll(sizes, i -> i % 2 == 0 ? i + 1 : null);
    return sizes;
  }
}
