/**
 * The shipped migrations by name. The SQL itself lies under {@code tidemark/migration}; this
 * package only tells a program where it is and which versions it is made of, so that a start can
 * compare them with what is deployed without carrying Flyway.
 */
@NullMarked
package dev.tidemark.retention.schema;

import org.jspecify.annotations.NullMarked;
