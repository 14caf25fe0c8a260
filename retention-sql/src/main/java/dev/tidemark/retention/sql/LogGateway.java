package dev.tidemark.retention.sql;

import static org.jooq.impl.DSL.val;
import static org.jooq.impl.SQLDataType.BIGINT;

import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.sql.queen.Routines;
import dev.tidemark.retention.sql.queen.tables.LogReadV1;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * The log itself: import, cursors, reading. Thread-safe; every call borrows a connection. Errors as
 * in {@link SqlStates}.
 */
public final class LogGateway {
  private final DataSource dataSource;

  public LogGateway(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** The database's clock. */
  public Instant databaseNow() {
    try (Session session = Session.open(dataSource)) {
      return Times.databaseNow(session);
    }
  }

  /**
   * Runs an import as one transaction at READ COMMITTED: everything or nothing.
   *
   * @throws DatabaseException whatever the work threw; then nothing stays
   */
  public <T> T importing(Function<Import, T> work) {
    try (Session session = Session.open(dataSource)) {
      return session.transaction(dsl -> work.apply(new Import(dsl)));
    }
  }

  /**
   * One import, inside its transaction. Provision every partition before the first append, then
   * append in ascending id order.
   */
  public static final class Import {
    private static final Field<Long> END_OFFSET = JsonCall.key("endOffset", BIGINT);
    private final DSLContext dsl;

    private Import(DSLContext dsl) {
      this.dsl = dsl;
    }

    /** Finds or creates a partition, and its queue: {@code queen.log_partition_provision_v1}. */
    public UUID provision(String queue, String partition) {
      return dsl.select(Routines.logPartitionProvisionV1(val(queue), val(partition)))
          .fetchSingle()
          .value1();
    }

    /**
     * Appends segments in log order: {@code queen.log_import_v1}; the last offset given out.
     *
     * @param segments at most 30000, as many as one statement can bind
     */
    public long append(UUID partitionId, List<ImportedSegment> segments) {
      return JsonCall.call(
              dsl,
              Routines.logImportV1(
                  val(partitionId),
                  val(
                      segments.stream()
                          .map(s -> Times.timestamptz(s.createdAt()))
                          .toArray(OffsetDateTime[]::new)),
                  val(segments.stream().map(ImportedSegment::messages).toArray(Integer[]::new)),
                  ByteArrays.of(segments, ImportedSegment::hashes),
                  ByteArrays.of(segments, ImportedSegment::blob)),
              END_OFFSET)
          .get(END_OFFSET);
    }
  }

  /**
   * A segment that keeps the time it was made at.
   *
   * @param hashes 16 bytes a message, in frame order
   */
  public record ImportedSegment(Instant createdAt, int messages, byte[] hashes, byte[] blob) {}

  /**
   * Moves a group's cursor: {@code queen.log_seek_v1}.
   *
   * @param nextOffset the next offset the group reads, 0 .. last offset + 1
   */
  public void seek(UUID partitionId, String group, long nextOffset) {
    Field<Long> committed = JsonCall.key("committed", BIGINT);
    try (Session session = Session.open(dataSource)) {
      session.transaction(
          dsl ->
              JsonCall.call(
                  dsl,
                  Routines.logSeekV1(val(partitionId), val(group), val(nextOffset)),
                  committed));
    }
  }

  /**
   * Reads live segments in log order from an offset on: {@code queen.log_read_v1}. Fewer than asked
   * for: the end.
   */
  public List<StoredSegment> read(UUID partitionId, long from, int maxSegments) {
    LogReadV1 r = LogReadV1.LOG_READ_V1;
    try (Session session = Session.open(dataSource)) {
      return session.autocommit(
          dsl ->
              dsl.selectFrom(r.call(val(partitionId), val(from), val(maxSegments)))
                  .fetch(
                      row ->
                          new StoredSegment(
                              row.get(r.BASE_OFFSET),
                              row.get(r.END_OFFSET),
                              row.get(r.CREATED_AT).toInstant(),
                              row.get(r.BLOB))));
    }
  }

  /** A live segment as stored: offsets [baseOffset, endOffset]. */
  public record StoredSegment(long baseOffset, long endOffset, Instant createdAt, byte[] blob) {}
}
