package dev.tidemark.retention.it.mutant;

import java.util.List;
import java.util.stream.Stream;

/** The list, by what the function is for. */
final class Mutants {
  private Mutants() {}

  static Stream<Mutant> all() {
    return Stream.of(
            StepMutants.LIST,
            DrainMutants.LIST,
            BrokerMutants.LIST,
            CleanupMutants.LIST,
            ScheduleMutants.LIST,
            PolicyMutants.LIST,
            HistoryMutants.LIST,
            AuditMutants.LIST,
            TableMutants.LIST)
        .flatMap(List::stream);
  }
}
