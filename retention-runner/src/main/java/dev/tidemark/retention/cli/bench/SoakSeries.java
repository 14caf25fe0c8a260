package dev.tidemark.retention.cli.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What the soak saw, look by look, in three phases. Cycles are told by another thread. */
final class SoakSeries {
  static final String BEFORE = "before";
  static final String HELD = "snapshot held";
  static final String AFTER = "after";

  private static final double MEGABYTE = 1e6;

  private final List<Look> looks = new ArrayList<>();
  private final List<Double> cycles = new ArrayList<>();
  private final Map<String, List<Double>> cyclesByPhase = new LinkedHashMap<>();
  private String phase = BEFORE;
  private double last;

  /** Bytes on disk with indexes and TOAST: the log, and its history, which is meant to grow. */
  record Sizes(long log, long history) {}

  private record Look(String phase, double second, Sizes sizes, double cycleMillis) {}

  synchronized void phase(String begins) {
    phase = begins;
    cycles.clear();
  }

  synchronized void cycle(double millis) {
    last = millis;
    cycles.add(millis);
    cyclesByPhase.computeIfAbsent(phase, p -> new ArrayList<>()).add(millis);
  }

  /** Whether the phase has two cycles and two looks: less has no median and no halves. */
  synchronized boolean enough() {
    return cycles.size() >= 2 && log(phase).size() >= 2;
  }

  /** Counts from the first cycle on. */
  synchronized void look(double second, Sizes sizes) {
    if (last > 0) {
      looks.add(new Look(phase, second, sizes, last));
    }
  }

  /** How large the log was at most in the second half of a phase, to the first half. */
  synchronized double growth(String of) {
    List<Double> sizes = log(of);
    int half = sizes.size() / 2;
    return largest(sizes.subList(half, sizes.size())) / largest(sizes.subList(0, half));
  }

  synchronized double lastMegabytes(String of) {
    List<Double> sizes = log(of);
    return sizes.get(sizes.size() - 1);
  }

  /** The median in the second half of a phase. */
  synchronized double cycleMillis(String of) {
    List<Double> all = cyclesByPhase.getOrDefault(of, List.of());
    return Statistics.median(all.subList(all.size() / 2, all.size()));
  }

  synchronized Map<String, List<Double>> series() {
    Map<String, List<Double>> series = new LinkedHashMap<>();
    series.put("second", column(Look::second));
    series.put("log MB", column(l -> l.sizes().log() / MEGABYTE));
    series.put("history MB", column(l -> l.sizes().history() / MEGABYTE));
    series.put("cycle ms", column(Look::cycleMillis));
    series.put("snapshot", column(l -> l.phase().equals(HELD) ? 1 : 0));
    return series;
  }

  private List<Double> column(ToDoubleFunction<Look> value) {
    return looks.stream().map(value::applyAsDouble).toList();
  }

  private List<Double> log(String of) {
    return looks.stream()
        .filter(l -> l.phase().equals(of))
        .map(l -> l.sizes().log() / MEGABYTE)
        .toList();
  }

  private static double largest(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
  }
}
