package dev.tidemark.retention.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SharedCursorTest {
  @Test
  void itemsComeInOrderAndOnePutBackComesLast() {
    SharedCursor<String> cursor = new SharedCursor<>(List.of("a", "b"));

    cursor.toTheBack(cursor.next().orElseThrow());

    assertThat(cursor.remaining()).isEqualTo(2);
    assertThat(cursor.next()).contains("b");
    assertThat(cursor.next()).contains("a");
    assertThat(cursor.next()).isEmpty();
  }
}
