/**
 * Sizes at the edge: the last offsets, the longest windows, blobs of a hundred megabytes, a million
 * segments, a hundred thousand partitions, ten thousand queues.
 */
@NullUnmarked
package dev.tidemark.retention.it.edge;

import org.jspecify.annotations.NullUnmarked;
