/**
 * What breaks around a runner: backends, statements, pools, servers, networks, clocks, processes
 * and poolers in between. One class a fault; each says what is lost (nothing that is wanted) and
 * that retention goes on by itself.
 */
@NullUnmarked
package dev.tidemark.retention.it.fault;

import org.jspecify.annotations.NullUnmarked;
