/**
 * The embedding API: retention inside a broker's process, on the broker's own {@code DataSource}.
 *
 * <p>{@link dev.tidemark.retention.runner.RetentionService} is the door; the rest is how it runs a
 * cycle: worker threads, the holder of the lock, the check of the deployed schema, and the log
 * line.
 */
@NullMarked
package dev.tidemark.retention.runner;

import org.jspecify.annotations.NullMarked;
