package dev.tidemark.retention.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundsTest {
  private final List<String> order = new ArrayList<>();
  private final List<String> progress = new ArrayList<>();

  @Test
  void twoSidesChangePlacesEachRoundAndTheFirstRoundDoesNotCount() throws Exception {
    Map<String, List<Integer>> measured =
        new Rounds(3, progress::add).alternate("row", List.of(side("a"), side("b")));

    assertThat(order).containsExactly("a", "b", "b", "a", "a", "b", "b", "a");
    assertThat(measured)
        .containsExactly(Map.entry("a", List.of(4, 5, 8)), Map.entry("b", List.of(3, 6, 7)));
  }

  @Test
  void eachOfThreeSidesIsFirstOnceInThreeRounds() throws Exception {
    new Rounds(2, progress::add).alternate("row", List.of(side("a"), side("b"), side("c")));

    assertThat(order).containsExactly("a", "b", "c", "c", "a", "b", "b", "c", "a");
  }

  @Test
  void progressNamesRowRoundAndSide() throws Exception {
    new Rounds(1, progress::add).alternate("row", List.of(side("a")));

    assertThat(progress).containsExactly("row, warm-up: a", "row, round 1 of 1: a");
  }

  private Rounds.Side<Integer> side(String name) {
    return new Rounds.Side<>(
        name,
        () -> {
          order.add(name);
          return order.size();
        });
  }
}
