package dev.tidemark.retention.core.plan;

import java.time.Instant;
import java.util.UUID;

/**
 * A place in a watermark index. (Not comparable here: the server orders ids in another way than
 * Java.)
 */
public record Position(Instant watermark, UUID partitionId) {}
