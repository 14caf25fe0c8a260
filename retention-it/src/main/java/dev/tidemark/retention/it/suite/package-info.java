/**
 * The laws as a product: which database they run against, how deep, from which seed, and the
 * command that runs them against a broker's own.
 */
@NullMarked
package dev.tidemark.retention.it.suite;

import org.jspecify.annotations.NullMarked;
