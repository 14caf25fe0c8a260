/**
 * Everybody at once: actors in sessions of their own, the queues and the traffic they race on, and
 * a ledger of what each consumer was handed.
 */
@NullUnmarked
package dev.tidemark.retention.it.race;

import org.jspecify.annotations.NullUnmarked;
