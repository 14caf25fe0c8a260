@NullMarked
package dev.tidemark.retention.schema;

import org.jspecify.annotations.NullMarked;
