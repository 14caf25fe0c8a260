/** The command as a person runs it: arguments in, text and an exit code out. */
@NullUnmarked
package dev.tidemark.retention.it.cli;

import org.jspecify.annotations.NullUnmarked;
