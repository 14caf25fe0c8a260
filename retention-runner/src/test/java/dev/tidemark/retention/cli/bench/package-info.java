/** Tests of the bench's parts; the rows themselves run in the integration tests, small. */
@NullMarked
package dev.tidemark.retention.cli.bench;

import org.jspecify.annotations.NullMarked;
