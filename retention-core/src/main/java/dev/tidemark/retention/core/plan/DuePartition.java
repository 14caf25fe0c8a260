package dev.tidemark.retention.core.plan;

import java.time.Instant;
import java.util.UUID;

/**
 * A partition whose watermark is past its lane's cutoff.
 *
 * @param watermark created_at of its oldest row
 */
public record DuePartition(Lane lane, UUID queueId, UUID partitionId, Instant watermark) {
  /** Where it stands in the index of its queue and lane. */
  public Position position() {
    return new Position(watermark, partitionId);
  }
}
