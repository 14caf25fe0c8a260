/**
 * The log in memory: what each function has to do, written a second time in plain Java from the
 * contracts, so that a database and a thought can be compared.
 */
@NullMarked
package dev.tidemark.retention.it.model;

import org.jspecify.annotations.NullMarked;
