package dev.tidemark.retention.core.cycle;

import dev.tidemark.retention.core.database.RetentionDatabase;
import dev.tidemark.retention.core.database.WalkSession;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Walks all partitions by id and mends drifted watermarks: the first fill after an upgrade, and the
 * safety walk after it. Knows no schedule. A session is opened for each page, so that a long walk
 * keeps no connection from others.
 */
public final class WatermarkWalk {
  /** Partitions a call reads. */
  static final int PAGE = 5_000;

  private final RetentionDatabase database;
  private final Clock clock;

  public WatermarkWalk(RetentionDatabase database, Clock clock) {
    this.database = database;
    this.clock = clock;
  }

  /**
   * Walks once, from the first partition to the last.
   *
   * @throws dev.tidemark.retention.core.database.DatabaseException when a page failed; what was
   *     mended stays
   */
  public WalkReport run(Permission permission) {
    Instant begin = clock.instant();
    Sums sums = new Sums();
    boolean done = false;
    while (!done && !permission.withdrawn()) {
      try (WalkSession session = database.openWalk()) {
        done = permission.granted(session) && sums.add(session.walk(sums.lastId, PAGE));
      }
    }
    return new WalkReport(
        sums.scanned,
        sums.repaired,
        sums.held,
        done ? Optional.empty() : permission.signal().reason(),
        Duration.between(begin, clock.instant()));
  }

  private static final class Sums {
    private long scanned;
    private long repaired;
    private long held;
    private @Nullable UUID lastId;

    /** Whether that was the last page. */
    boolean add(WalkSession.Page page) {
      scanned += page.scanned();
      repaired += page.repaired();
      held += page.held();
      lastId = page.lastId();
      return page.done();
    }
  }
}
