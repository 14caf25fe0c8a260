package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.core.cycle.CycleReport;
import java.util.List;

/** The names by which the history knows the rules. */
final class Rule {
  static final String RETENTION = "retention";
  static final String COMPLETED = "completed_retention";
  static final String MAX_WAIT = CycleReport.MAX_WAIT;

  /** By their numbers. */
  static final List<String> ALL = List.of(RETENTION, COMPLETED, MAX_WAIT);

  private Rule() {}
}
