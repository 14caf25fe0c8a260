package dev.tidemark.retention.it.mutant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.suite.Seed;
import dev.tidemark.retention.it.suite.Suite;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.suite.Verdict;
import dev.tidemark.retention.it.support.TestDatabase;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Deploys one fault after the other and lets the laws look for it. */
class MutantsIT {
  /** Histories are random: a fault may hide in one run of a law, not in so many. */
  private static final int RUNS = 25;

  /** All, or those whose text matches the property {@code tidemark.mutants}. */
  static Stream<Mutant> mutants() {
    Pattern wanted = Pattern.compile(System.getProperty("tidemark.mutants", ""));
    return Mutants.all().filter(mutant -> wanted.matcher(mutant.toString()).find());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void theLawsNotice(Mutant mutant) {
    Suite suite = Suite.of(mutant.laws()).withoutShrinking();
    List<String> broken = List.of();
    for (int run = 0; run < RUNS && broken.isEmpty(); run++) {
      broken = Seed.with(Seed.current() + run, () -> broken(suite, mutant));
    }
    assertThat(broken).as("%s, by %s", mutant, mutant.laws()).isNotEmpty();
    System.out.println("killed by " + broken + ": " + mutant);
  }

  /** In a database of the mutant's own: what a broken law leaves behind breaks no other. */
  private static List<String> broken(Suite suite, Mutant mutant) {
    try (TestDatabase database = TestDatabase.migrated()) {
      mutant.deploy(database);
      return Target.inPlace(database.url(), () -> suite.run(verdict -> {})).stream()
          .filter(verdict -> verdict.broken() != null)
          .map(Verdict::law)
          .distinct()
          .toList();
    }
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
