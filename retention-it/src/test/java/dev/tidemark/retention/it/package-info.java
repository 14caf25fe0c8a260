@NullUnmarked
package dev.tidemark.retention.it;

import org.jspecify.annotations.NullUnmarked;
