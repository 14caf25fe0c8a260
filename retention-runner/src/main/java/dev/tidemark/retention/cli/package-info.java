/**
 * The {@code retention} command. Only the executable jar runs it: what it needs beyond the runner
 * (picocli, Jackson, Flyway, an embedded PostgreSQL, a logging backend) are optional dependencies
 * that an embedding broker does not inherit.
 *
 * <p>One class a command; {@link dev.tidemark.retention.cli.Retention} puts them together and
 * decides the exit code, {@link dev.tidemark.retention.cli.Database} finds the database, {@link
 * dev.tidemark.retention.cli.Output} prints.
 */
@NullMarked
package dev.tidemark.retention.cli;

import org.jspecify.annotations.NullMarked;
