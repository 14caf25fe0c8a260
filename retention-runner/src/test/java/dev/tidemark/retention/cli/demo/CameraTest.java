package dev.tidemark.retention.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.cli.demo.Frame.Pin;
import dev.tidemark.retention.sql.AuditGateway.Cursor;
import dev.tidemark.retention.sql.AuditGateway.PartitionCursors;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CameraTest {

  @Test
  void aGroupPinsWhatAllOthersHaveAckedAndItHasNotAsFarAsItLives() {
    assertThat(
            Camera.pin(
                List.of(
                    partition(0, 99, new Cursor("fast", 89), new Cursor("slow", 9)),
                    partition(50, 99, new Cursor("fast", 59), new Cursor("slow", 20)))))
        .hasValue(new Pin("slow", 80 + 10));
  }

  @Test
  void theGroupThatPinsMostIsNamed() {
    assertThat(
            Camera.pin(
                List.of(
                    partition(0, 99, new Cursor("a", 9), new Cursor("b", 19)),
                    partition(0, 99, new Cursor("a", 99), new Cursor("b", 49)))))
        .hasValue(new Pin("b", 50));
  }

  @Test
  void theOnlyGroupPinsAllThatItHasNotRead() {
    assertThat(Camera.pin(List.of(partition(10, 99, new Cursor("a", -1)))))
        .hasValue(new Pin("a", 90));
  }

  @Test
  void nobodyPinsWhereAllAreThroughOrNobodyReads() {
    assertThat(
            Camera.pin(
                List.of(
                    partition(10, 99, new Cursor("a", 99), new Cursor("b", 99)), partition(0, 9))))
        .isEmpty();
  }

  private static PartitionCursors partition(long logStart, long lastOffset, Cursor... cursors) {
    return new PartitionCursors(
        UUID.randomUUID(), "p", logStart, 0, lastOffset, null, List.of(cursors));
  }
}
