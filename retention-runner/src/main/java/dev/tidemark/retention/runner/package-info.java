/**
 * The embedding API: retention inside a broker's process, on the broker's own {@code DataSource}.
 *
 * <p>{@link dev.tidemark.retention.runner.RetentionService} is the door, {@link
 * dev.tidemark.retention.runner.MaintenanceLane} what a broker may put in front of it. Behind the
 * door:
 *
 * <pre>
 *   RetentionService ── Work      what is done: a cycle, a walk (LaneDataSource, HolderLock, ThreadWorkers)
 *                    └─ Replica   when: a LeasedLoop a task, each with a Schedule, a Heartbeat and an ErrorLog
 * </pre>
 */
@NullMarked
package dev.tidemark.retention.runner;

import org.jspecify.annotations.NullMarked;
