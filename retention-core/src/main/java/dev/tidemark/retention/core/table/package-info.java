/**
 * The work on event tables: one {@link dev.tidemark.retention.core.table.TablePass} a period over
 * all policies, reported as one {@link dev.tidemark.retention.core.table.TableReport}. Batches,
 * pauses and the throttle are the database's: a run is one call.
 */
@NullMarked
package dev.tidemark.retention.core.table;

import org.jspecify.annotations.NullMarked;
