/** Tests of a command from the inside, where one needs a place to break something. */
@NullMarked
package dev.tidemark.retention.cli;

import org.jspecify.annotations.NullMarked;
