/**
 * The SQL itself, on a PostgreSQL that has plpgsql_check: what its linter says about every
 * function, and which statements and branches no test reaches.
 */
@NullUnmarked
package dev.tidemark.retention.it.check;

import org.jspecify.annotations.NullUnmarked;
