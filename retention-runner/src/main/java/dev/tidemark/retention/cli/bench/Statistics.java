package dev.tidemark.retention.cli.bench;

import java.util.ArrayList;
import java.util.List;

/** The few numbers the bench makes of its measurements. */
final class Statistics {
  private Statistics() {}

  /** The middle one, or the mean of the middle two. */
  static double median(List<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("no values, no median");
    }
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /** Round by round: what drifts slowly hits both of a round alike. */
  static List<Double> ratios(List<Double> over, List<Double> under) {
    if (over.size() != under.size()) {
      throw new IllegalArgumentException(
          over.size() + " rounds on one side, " + under.size() + " on the other");
    }
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < over.size(); i++) {
      ratios.add(over.get(i) / under.get(i));
    }
    return ratios;
  }
}
