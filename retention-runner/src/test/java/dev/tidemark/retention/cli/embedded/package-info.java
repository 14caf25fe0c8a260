/** Tests of the embedded server, against real ones in temporary directories. */
@NullMarked
package dev.tidemark.retention.cli.embedded;

import org.jspecify.annotations.NullMarked;
