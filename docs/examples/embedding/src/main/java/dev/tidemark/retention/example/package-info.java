/** A broker that embeds retention: what it writes, and what it inherits. */
@NullMarked
package dev.tidemark.retention.example;

import org.jspecify.annotations.NullMarked;
