/**
 * Steps as values that a law picks: a step of a kind, with a cutoff beside some row, in a story of
 * one partition, in a drain, or in a transaction that is cut off.
 */
@NullMarked
package dev.tidemark.retention.it.step;

import org.jspecify.annotations.NullMarked;
