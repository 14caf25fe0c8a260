package dev.tidemark.retention.core.plan;

import java.time.Instant;
import java.util.UUID;

/**
 * A partition whose watermark is past its phase's cutoff.
 *
 * @param watermark created_at of its oldest row
 * @param canGo whether a step could delete the head now; false for one that only rule 2 could touch
 *     and a cursor holds
 */
public record DuePartition(UUID queueId, UUID partitionId, Instant watermark, boolean canGo) {}
