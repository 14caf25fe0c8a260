package dev.tidemark.retention.it.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.it.support.HeldPartitions;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What partitions that a cursor holds cost a cycle once they are backed off: the same cycle on a
 * database with 200,000 of them and on one without, in alternation.
 */
class HeldPartitionsBenchmark {
  private static final int HELD = 200_000;
  private static final int WARM_UP = 10;
  private static final int CYCLES = 81;

  @Test
  void aCycleWithManyHeldPartitionsAgainstOneWithout() {
    try (Side without = new Side(0);
        Side with = new Side(HELD)) {
      System.out.println("cycles until the deletable partition is gone, ms each:");
      System.out.println("  without held partitions: " + without.untilDeleted());
      System.out.println("  behind " + HELD + ":           " + with.untilDeleted());

      // A lap over all of them starts every 8 cycles at first, so rests are what is compared, and
      // the laps are told apart.
      List<Double> idle = new ArrayList<>();
      List<Double> backedOff = new ArrayList<>();
      for (int i = 0; i < WARM_UP + CYCLES; i++) {
        double first = without.cycle();
        double second = with.cycle();
        if (i >= WARM_UP) {
          idle.add(first);
          backedOff.add(second);
        }
      }
      System.out.printf(
          "median of %d cycles: %.1f ms without, %.1f ms with, ratio %.2f%n",
          CYCLES, median(idle), median(backedOff), median(backedOff) / median(idle));
      System.out.printf(
          "mean, with the laps that probe them again: %.1f ms without, %.1f ms with%n",
          mean(idle), mean(backedOff));
    }
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(v -> v).average().orElseThrow();
  }

  private static final class Side implements AutoCloseable {
    private final TestDatabase database = TestDatabase.migrated();
    private final TestLog log;
    private final UUID deletable;
    private final RetentionService service;

    Side(int held) {
      Sql sql = database.connect();
      log = new TestLog(sql);
      log.configure("q", "{\"retentionEnabled\": true, \"completedRetentionSeconds\": 60}");
      HeldPartitions.add(sql, held);
      deletable = log.partition("q", "deletable");
      log.append(deletable, log.ago(Duration.ofMinutes(30)), 1);
      log.commit(deletable, "g", 0);
      sql.run("vacuum analyze");
      service = RetentionService.on(database.pool()).build();
    }

    List<Double> untilDeleted() {
      List<Double> cycles = new ArrayList<>();
      while (!log.segments(deletable).isEmpty()) {
        cycles.add(cycle());
      }
      return cycles;
    }

    double cycle() {
      long begin = System.nanoTime();
      assertThat(service.runOnce()).isInstanceOf(CycleOutcome.Swept.class);
      return (System.nanoTime() - begin) / 1e6;
    }

    @Override
    public void close() {
      service.close();
      database.close();
    }
  }
}
