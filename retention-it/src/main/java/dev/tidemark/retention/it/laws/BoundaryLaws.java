package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Where time stops a deletion: {@code log_retention_boundary_windowed_v1}, over segments [0,1]
 * [2,3] .. [8,9], an hour apart. The steps find their own way there.
 */
public class BoundaryLaws {
  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;
  private UUID partition;
  private Instant start;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void fiveSegments() {
    partition = log.partition("boundary", UUID.randomUUID().toString());
    start = log.ago(Duration.ofDays(10));
    for (int i = 0; i < 5; i++) {
      log.append(partition, hour(i), 2);
    }
  }

  @Test
  void theFirstFreshSegmentIsTheBoundary() {
    assertThat(boundary(0L, hour(3), null)).isEqualTo(6);
    assertThat(boundary(0L, hour(3), 8L)).isEqualTo(6);
    assertThat(boundary(0L, hour(3).minus(Duration.ofNanos(1000)), null)).isEqualTo(6);
    assertThat(boundary(0L, hour(3).plus(Duration.ofNanos(1000)), null)).isEqualTo(8);
  }

  @Test
  void nothingFreshBelowTheHorizonMeansTheHorizon() {
    assertThat(boundary(0L, hour(3), 6L)).as("the fresh one is at the horizon").isEqualTo(6);
    assertThat(boundary(0L, hour(3), 4L)).isEqualTo(4);
    assertThat(boundary(0L, hour(9), 8L)).isEqualTo(8);
  }

  @Test
  void nothingFreshAndNoHorizonMeansTheEnd() {
    assertThat(boundary(0L, hour(9), null)).isEqualTo(10);
    assertThat(boundary(8L, hour(9), null)).isEqualTo(10);
  }

  @Test
  void theWalkBeginsAtFromAndNotAtTheHead() {
    assertThat(boundary(8L, hour(1), null)).isEqualTo(8);
    assertThat(boundary(5L, hour(0), null)).as("from inside a segment").isEqualTo(6);
  }

  @Test
  void noSegmentAtOrAfterFromMeansFrom() {
    assertThat(boundary(10L, hour(9), null)).isEqualTo(10);
    assertThat(boundary(500L, hour(9), null)).isEqualTo(500);
    UUID empty = log.partition("boundary", UUID.randomUUID().toString());
    assertThat(boundary(empty, 0L, hour(9), null)).isZero();
  }

  @Test
  void aNullCutoffMeansFrom() {
    assertThat(boundary(4L, null, null)).isEqualTo(4);
    assertThat(boundary(4L, null, 8L)).isEqualTo(4);
  }

  @Test
  void theBoundaryIsNeverBelowFrom() {
    assertThat(boundary(6L, hour(9), 2L)).isEqualTo(6);
    assertThat(boundary(6L, hour(0), 2L)).isEqualTo(6);
  }

  @Test
  void theLastOffsetsOfBigintFit() {
    UUID edge = log.partition("boundary", UUID.randomUUID().toString());
    sql.run(
        "insert into queen.log_segments (partition_id, base_offset, end_offset, created_at, blob) values (?, ?, ?, ?, '')",
        edge,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE - 1,
        hour(0));
    assertThat(boundary(edge, 0L, hour(1), null)).isEqualTo(Long.MAX_VALUE);
    assertThat(boundary(edge, 0L, hour(0), null)).isEqualTo(Long.MAX_VALUE - 1);
  }

  @Test
  void anUnknownStartIsRefused() {
    assertRefused(null, 0L);
    assertRefused(partition, null);
  }

  private long boundary(@Nullable Long from, @Nullable Instant cutoff, @Nullable Long horizon) {
    return boundary(partition, from, cutoff, horizon);
  }

  private static long boundary(
      @Nullable UUID partition,
      @Nullable Long from,
      @Nullable Instant cutoff,
      @Nullable Long horizon) {
    return sql.number(
        "select queen.log_retention_boundary_windowed_v1(p_partition_id => ?, p_from => ?, p_cutoff => ?::timestamptz, p_horizon => ?)",
        partition,
        from,
        cutoff,
        horizon);
  }

  private void assertRefused(@Nullable UUID partitionId, @Nullable Long from) {
    assertThatExceptionOfType(SqlFailure.class)
        .isThrownBy(() -> boundary(partitionId, from, hour(1), null))
        .extracting(SqlFailure::state)
        .isEqualTo("22023");
  }

  private Instant hour(int hour) {
    return start.plus(Duration.ofHours(hour));
  }
}
