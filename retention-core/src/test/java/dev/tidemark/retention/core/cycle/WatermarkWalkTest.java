package dev.tidemark.retention.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.retention.core.database.Claim;
import dev.tidemark.retention.core.database.Standing;
import dev.tidemark.retention.core.database.TimedOutException;
import dev.tidemark.retention.core.database.WalkSession.Page;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
class WatermarkWalkTest {
  private static final UUID FIRST = UUID.randomUUID();
  private static final UUID SECOND = UUID.randomUUID();

  private final FakeDatabase database = new FakeDatabase();
  private final TestClock clock = new TestClock();
  private final StopSignal signal = new StopSignal();

  @Test
  void everyPageBeginsBehindTheLastAndAllAreSummed() {
    database.pages.add(new Page(5_000, 3, 0, FIRST, false));
    database.pages.add(new Page(5_000, 0, 2, SECOND, false));
    database.pages.add(new Page(17, 1, 0, SECOND, true));
    database.onCall = call -> clock.pass(Duration.ofMillis(10));

    WalkReport report = run();

    assertThat(database.calls)
        .containsExactly("walk null 5000", "walk " + FIRST + " 5000", "walk " + SECOND + " 5000");
    assertThat(report.scanned()).isEqualTo(10_017);
    assertThat(report.repaired()).isEqualTo(4);
    assertThat(report.held()).isEqualTo(2);
    assertThat(report.elapsed()).isEqualTo(Duration.ofMillis(30));
    assertThat(report.stopped()).isEmpty();
    assertThat(report.complete()).as("somebody held two rows").isFalse();
    assertThat(database.sessions).hasValue(0);
  }

  @Test
  void anEmptyDatabaseIsOnePage() {
    database.pages.add(new Page(0, 0, 0, null, true));

    assertThat(run().complete()).isTrue();
  }

  @Test
  void aPausedTaskStopsTheWalkBeforeTheNextPage() {
    database.pages.add(new Page(5_000, 3, 0, FIRST, false));
    database.onCheck = nr -> database.lease = nr < 2 ? Standing.Lease.HELD : Standing.Lease.PAUSED;

    WalkReport report = run();

    assertThat(report.stopped()).contains(StopSignal.Reason.PAUSED);
    assertThat(report.complete()).isFalse();
    assertThat(report.repaired()).isEqualTo(3);
  }

  @Test
  void aPageThatFailsEndsTheWalkAndClosesItsSession() {
    TimedOutException failure = new TimedOutException("too slow", "57014", null);
    database.onCall =
        call -> {
          throw failure;
        };

    assertThatThrownBy(this::run).isSameAs(failure);
    assertThat(database.sessions).hasValue(0);
  }

  private WalkReport run() {
    return new WatermarkWalk(database, clock).run(new Permission(signal, new Claim("w", "me", 1)));
  }
}
