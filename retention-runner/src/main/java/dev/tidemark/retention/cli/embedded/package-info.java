/**
 * A PostgreSQL that a command runs by itself, for trying things out and for a single machine:
 * {@code --embedded DIR} and the throw-away server of {@code demo}. It exists so that a first look
 * needs no installed database. Only the executable jar carries what it needs; an embedding broker
 * never loads it.
 *
 * <p>{@link dev.tidemark.retention.cli.embedded.EmbeddedServer} is all that the commands see.
 */
@NullMarked
package dev.tidemark.retention.cli.embedded;

import org.jspecify.annotations.NullMarked;
