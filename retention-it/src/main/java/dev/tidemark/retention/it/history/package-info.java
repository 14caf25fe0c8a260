/**
 * Random histories: what may happen to a log, and the world in which it happens to a database and
 * to the {@link dev.tidemark.retention.it.model model} of it. The world compares the two after each
 * action.
 */
@NullUnmarked
package dev.tidemark.retention.it.history;

import org.jspecify.annotations.NullUnmarked;
