/** Properties: what has to hold after any history. */
@NullUnmarked
package dev.tidemark.retention.it.property;

import org.jspecify.annotations.NullUnmarked;
