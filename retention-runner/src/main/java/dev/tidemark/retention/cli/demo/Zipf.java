package dev.tidemark.retention.cli.demo;

import java.util.Arrays;
import java.util.Random;

/**
 * Chooses among n, the first most often: number k with a weight of 1 / k, as keys are skewed in
 * life. Immutable; the caller's generator is what makes a run repeatable.
 */
final class Zipf {
  private final double[] upTo;

  Zipf(int n) {
    if (n < 1) {
      throw new IllegalArgumentException("n must be at least 1, not " + n);
    }
    upTo = new double[n];
    double sum = 0;
    for (int k = 0; k < n; k++) {
      sum += 1.0 / (k + 1);
      upTo[k] = sum;
    }
  }

  /** 0 .. n - 1. */
  int choose(Random random) {
    int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[upTo.length - 1]);
    int above = found < 0 ? -found - 1 : found + 1;
    return Math.min(above, upTo.length - 1);
  }
}
