/** Faults put into the SQL on purpose: the laws have to notice every one of them. */
@NullUnmarked
package dev.tidemark.retention.it.mutant;

import org.jspecify.annotations.NullUnmarked;
