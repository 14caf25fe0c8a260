package dev.tidemark.retention.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ZipfTest {
  private static final int DRAWS = 100_000;

  @Test
  void theKthIsChosenOneKthAsOftenAsTheFirst() {
    int[] chosen = new int[16];
    Zipf zipf = new Zipf(chosen.length);
    Random random = new Random(7);
    for (int i = 0; i < DRAWS; i++) {
      chosen[zipf.choose(random)]++;
    }

    for (int k = 1; k < chosen.length; k++) {
      assertThat((double) chosen[0] / chosen[k]).isCloseTo(k + 1.0, within(0.15 * (k + 1)));
    }
  }

  @Test
  void theSameSeedChoosesTheSame() {
    Zipf zipf = new Zipf(100);
    Random one = new Random(1);
    Random two = new Random(1);

    assertThat(IntStream.range(0, 1000).map(i -> zipf.choose(one)))
        .isEqualTo(IntStream.range(0, 1000).map(i -> zipf.choose(two)).boxed().toList());
  }

  @Test
  void theEndsOfTheRangeStayInIt() {
    assertThat(new Zipf(3).choose(always(0.0))).isZero();
    assertThat(new Zipf(3).choose(always(Math.nextDown(1.0)))).isEqualTo(2);
    assertThat(new Zipf(1).choose(always(0.5))).isZero();
    assertThatThrownBy(() -> new Zipf(0)).isInstanceOf(IllegalArgumentException.class);
  }

  private static Random always(double value) {
    return new Random() {
      @Override
      public double nextDouble() {
        return value;
      }
    };
  }
}
