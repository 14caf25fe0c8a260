/**
 * What the cycle asks of the database, as interfaces that retention-sql implements, and what can go
 * wrong. Every phase is testable against a fake of these.
 */
@NullMarked
package dev.tidemark.retention.core.database;

import org.jspecify.annotations.NullMarked;
