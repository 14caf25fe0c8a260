/**
 * One cycle: take the lock, plan, drain phases 1 to 3 with the workers, then phases 4 and 5.
 *
 * <p>{@link dev.tidemark.retention.core.cycle.RetentionCycle} is the order of things; a phase is
 * one class; what happened is counted in one {@link dev.tidemark.retention.core.cycle.Tally} and
 * reported as one {@link dev.tidemark.retention.core.cycle.CycleReport}.
 */
@NullMarked
package dev.tidemark.retention.core.cycle;

import org.jspecify.annotations.NullMarked;
