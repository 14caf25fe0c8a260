/**
 * What one cycle has to do: the rules, the due partitions, what is skipped for now, and the order
 * in which workers take it.
 */
@NullMarked
package dev.tidemark.retention.core.plan;

import org.jspecify.annotations.NullMarked;
