package dev.tidemark.retention.core.database;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What one step did.
 *
 * @param deleted segments, or sidecar rows
 * @param messages messages in the deleted segments; 0 for the sidecar
 * @param newStart the watermark after the step; empty when the partition was gone
 * @param rule the retention_type of the history row; empty when nothing was deleted, and for the
 *     sidecar
 * @param done nothing deletable was left below the boundary when it looked
 */
public record StepResult(
    long deleted, long messages, OptionalLong newStart, Optional<String> rule, boolean done) {}
