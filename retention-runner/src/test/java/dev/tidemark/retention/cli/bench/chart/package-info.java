/** Tests of the bench's plots. */
@NullMarked
package dev.tidemark.retention.cli.bench.chart;

import org.jspecify.annotations.NullMarked;
