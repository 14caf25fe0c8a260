/**
 * The schedule as a fleet of replicas lives it: who runs, how often, what stops a cycle, and who
 * takes over.
 */
@NullUnmarked
package dev.tidemark.retention.it.schedule;

import org.jspecify.annotations.NullUnmarked;
