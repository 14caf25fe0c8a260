/**
 * What the documentation says, held against what the code does: generated blocks, error codes,
 * links.
 */
@NullUnmarked
package dev.tidemark.retention.it.docs;

import org.jspecify.annotations.NullUnmarked;
