package dev.tidemark.retention.it.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The row that orders everything in a partition. */
public record PartitionRow(
    long lastOffset,
    long logStart,
    long txnsStart,
    @Nullable Instant oldestLiveAt,
    @Nullable Instant oldestTxnAt,
    @Nullable Instant lastCreatedAt,
    Instant lastWriteAt,
    Instant createdAt) {}
