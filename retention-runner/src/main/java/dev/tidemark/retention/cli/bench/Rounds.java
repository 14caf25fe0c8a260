package dev.tidemark.retention.cli.bench;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Measures several sides in alternation: each round measures every side once, and begins with
 * another one than the round before. The first round warms up and is not counted.
 */
final class Rounds {
  private final int counted;
  private final Consumer<String> progress;

  Rounds(int counted, Consumer<String> progress) {
    this.counted = counted;
    this.progress = progress;
  }

  /** Makes its preparations, which do not count, and measures once. */
  interface Measurement<T> {
    T measure() throws SQLException, InterruptedException;
  }

  record Side<T>(String name, Measurement<T> measurement) {}

  /** What each side measured, by round, in the order of the sides. */
  <T> Map<String, List<T>> alternate(String row, List<Side<T>> sides)
      throws SQLException, InterruptedException {
    Map<String, List<T>> measured = new LinkedHashMap<>();
    sides.forEach(side -> measured.put(side.name(), new ArrayList<>()));
    List<Side<T>> order = new ArrayList<>(sides);
    for (int round = 0; round <= counted; round++) {
      for (Side<T> side : order) {
        progress.accept(
            row
                + (round == 0 ? ", warm-up" : ", round " + round + " of " + counted)
                + ": "
                + side.name());
        T result = side.measurement().measure();
        if (round > 0) {
          measured.computeIfAbsent(side.name(), name -> new ArrayList<>()).add(result);
        }
      }
      Collections.rotate(order, 1);
    }
    return measured;
  }
}
