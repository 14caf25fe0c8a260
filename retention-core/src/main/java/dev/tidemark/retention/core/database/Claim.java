package dev.tidemark.retention.core.database;

/**
 * A claim on a task of the schedule. Whoever holds an older fence has lost the task.
 *
 * @param task as in queen.maintenance_leases
 * @param holder who claimed it; no other process has the name
 * @param fence grows by one at every claim
 */
public record Claim(String task, String holder, long fence) {}
