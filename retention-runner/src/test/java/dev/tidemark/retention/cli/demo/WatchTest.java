package dev.tidemark.retention.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.cli.demo.Watch.Finding;
import dev.tidemark.retention.cli.demo.Watch.Unread;
import dev.tidemark.retention.sql.AuditGateway.Cursor;
import dev.tidemark.retention.sql.AuditGateway.PartitionCursors;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class WatchTest {
  private static final UUID ID = new UUID(0, 1);

  private final Watch watch = new Watch();

  @Test
  void marksThatMoveForwardOrStandAreFine() {
    see(0, 0, 5, 5);
    see(0, 0, 5, 5);
    see(3, 1, 9, 7);

    assertThat(watch.movedBack()).isEmpty();
    assertThat(watch.looks()).isEqualTo(3);
  }

  @Test
  void everyMarkThatMovesBackIsNamed() {
    see(3, 2, 9, 9);
    see(2, 1, 8, 9);

    assertThat(watch.movedBack())
        .containsExactly(
            new Finding(ID, "last_offset moved back from 9 to 8"),
            new Finding(ID, "log_start moved back from 3 to 2"),
            new Finding(ID, "txns_start moved back from 2 to 1"));
  }

  @Test
  void whatWasReadBeforeItWasDeletedIsNoRange() {
    see(0, 0, 9, -1);
    see(5, 0, 9, 4);

    assertThat(watch.unread(ID)).isEmpty();
  }

  @Test
  void whatWasDeletedUnreadIsARangeThatGrowsWhileTheGroupStandsStill() {
    see(5, 0, 99, -1);
    see(20, 0, 99, -1);
    see(20, 0, 99, 30);
    see(60, 0, 99, 49);

    assertThat(watch.unread(ID)).containsExactly(new Unread(0, 20), new Unread(50, 60));
  }

  @Test
  void whatAGroupReadBetweenTwoLooksMayHaveGoneByConsumption() {
    see(5, 0, 99, -1);
    see(20, 0, 99, 9);

    assertThat(watch.unread(ID)).containsExactly(new Unread(0, 5), new Unread(10, 20));
  }

  @Test
  void theSlowestGroupCountsAndNobodyAtAllHasReadNothing() {
    see(5, 0, 99, 4, 1);
    assertThat(watch.unread(ID)).containsExactly(new Unread(2, 5));

    see(7, 0, 99);
    assertThat(watch.unread(ID)).containsExactly(new Unread(0, 7));
  }

  private void see(long logStart, long txnsStart, long lastOffset, long... committed) {
    List<Cursor> cursors = Arrays.stream(committed).mapToObj(c -> new Cursor("g", c)).toList();
    watch.see(
        new Look(
            Instant.EPOCH,
            Map.of(
                "q",
                List.of(
                    new PartitionCursors(ID, "p", logStart, txnsStart, lastOffset, null, cursors))),
            List.of()));
  }
}
