/**
 * Plain-Java fixtures that serve Jupiter and jqwik alike: a migrated database for a test class,
 * statements on it, a log to fill, and the invariants of the schema as one check.
 */
@NullMarked
package dev.tidemark.retention.it.support;

import org.jspecify.annotations.NullMarked;
