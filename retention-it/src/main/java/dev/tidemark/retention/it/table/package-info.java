/** Event tables as the tests make them: a schema of their own, policies, and steps. */
@NullUnmarked
package dev.tidemark.retention.it.table;

import org.jspecify.annotations.NullUnmarked;
