/**
 * The gateway: every call of a {@code queen} function that Java makes, over the generated bindings.
 *
 * <p>Results are typed here and nowhere else is JSON read; SQLSTATEs become exceptions in {@link
 * dev.tidemark.retention.sql.SqlStates}; a step's transaction is opened and closed in {@link
 * dev.tidemark.retention.sql.Session}.
 */
@NullMarked
package dev.tidemark.retention.sql;

import org.jspecify.annotations.NullMarked;
