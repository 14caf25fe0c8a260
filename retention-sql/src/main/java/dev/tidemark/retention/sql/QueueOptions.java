package dev.tidemark.retention.sql;

import org.jspecify.annotations.Nullable;

/** A queue's effective options. Windows and leaseTime are in seconds; 0 = that rule is off. */
public record QueueOptions(
    @Nullable String namespace,
    @Nullable String task,
    boolean retentionEnabled,
    int retentionSeconds,
    int completedRetentionSeconds,
    int maxWaitTimeSeconds,
    int dedupWindowSeconds,
    int leaseTime,
    int retryLimit) {}
