package dev.tidemark.retention.cli.bench;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a row found, or one case of it.
 *
 * @param name the row's
 * @param variant which case of the row; empty = it has one
 * @param what the ratio in words
 * @param target empty = reported only
 * @param ratios one a round; the result is their median
 * @param values the medians behind it: what was measured, then on which side
 * @param series over time, where the row has one
 */
public record RowResult(
    String name,
    String variant,
    String what,
    Optional<Target> target,
    List<Double> ratios,
    Map<String, Map<String, Double>> values,
    Map<String, List<Double>> series) {

  public RowResult {
    if (ratios.isEmpty()) {
      throw new IllegalArgumentException(name + ": a result without a ratio");
    }
  }

  public RowResult(
      String name,
      String what,
      Optional<Target> target,
      List<Double> ratios,
      Map<String, Map<String, Double>> values) {
    this(name, "", what, target, ratios, values, Map.of());
  }

  /** The median of the rounds' ratios. */
  public double ratio() {
    return Statistics.median(ratios);
  }

  /** Empty where there is no target. */
  public Optional<Boolean> holds() {
    return target.map(t -> t.holds(ratio()));
  }

  RowResult variant(String named) {
    return new RowResult(name, named, what, target, ratios, values, series);
  }
}
