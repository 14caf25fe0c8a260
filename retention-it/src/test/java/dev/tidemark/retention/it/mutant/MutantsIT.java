package dev.tidemark.retention.it.mutant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.suite.Suite;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.suite.Verdict;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Deploys one fault after the other and lets the laws look for it. */
class MutantsIT {
  /** Histories are random: a fault may hide in one run of a law, not in so many. */
  private static final int RUNS = 5;

  private static TestDatabase database;
  private static Sql sql;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  static Stream<Mutant> mutants() {
    return Mutants.all();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void theLawsNotice(Mutant mutant) {
    String original = FunctionFile.of(mutant.function());
    Suite suite = Suite.of(mutant.laws());
    sql.run(mutant.in(original));
    try {
      assertThat(isNoticed(suite)).as("%s, by %s", mutant, mutant.laws()).isTrue();
    } finally {
      sql.run(original);
    }
  }

  private static boolean isNoticed(Suite suite) {
    for (int run = 0; run < RUNS; run++) {
      List<Verdict> verdicts = Target.inPlace(database.url(), () -> suite.run(verdict -> {}));
      if (verdicts.stream().anyMatch(verdict -> verdict.broken() != null)) {
        return true;
      }
    }
    return false;
  }

  /** A fault is known by its sentence, and says what it changes. */
  @Test
  void everyMutantIsAnotherOne() {
    List<Mutant> all = Mutants.all().toList();
    assertThat(all).hasSizeGreaterThanOrEqualTo(25);
    assertThat(all).extracting(Mutant::toString).doesNotHaveDuplicates();
    assertThat(all)
        .allSatisfy(
            mutant -> {
              String original = FunctionFile.of(mutant.function());
              assertThat(mutant.in(original)).isNotEqualTo(original);
            });
  }
}
