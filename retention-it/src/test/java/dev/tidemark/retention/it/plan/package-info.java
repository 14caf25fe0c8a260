/**
 * What statements read, by the plans the server says they ran: in small tables and in large ones.
 */
@NullUnmarked
package dev.tidemark.retention.it.plan;

import org.jspecify.annotations.NullUnmarked;
