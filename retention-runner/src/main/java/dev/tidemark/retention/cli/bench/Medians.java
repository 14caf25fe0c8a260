package dev.tidemark.retention.cli.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What {@link Rounds} measured, side by side. */
final class Medians {
  private Medians() {}

  /** The median of every side. */
  static Map<String, Double> of(Map<String, List<Double>> measured) {
    Map<String, Double> medians = new LinkedHashMap<>();
    measured.forEach((side, values) -> medians.put(side, Statistics.median(values)));
    return medians;
  }

  /** One side's measurements, by round. */
  static <T> List<T> of(Map<String, List<T>> measured, String side) {
    return Objects.requireNonNull(measured.get(side), side);
  }
}
