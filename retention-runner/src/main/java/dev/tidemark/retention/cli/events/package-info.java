/**
 * Real events from a file, made into log segments: read, timed, packed, hashed. No database here.
 *
 * <pre>
 *   file -&gt; EventFile -&gt; Event | BadRow        one row at a time, bad rows with their line and reason
 *              Event  -&gt; SegmentPacker -&gt; PackedEvents -&gt; PackedPartition -&gt; PackedSegment
 *                                          a segment = N messages, its hashes, its blob, its time
 *               blob  -&gt; FrameCodec.decode -&gt; the rows of the file again
 * </pre>
 *
 * <p>It exists apart from the commands that use it so that everything a hostile file can do is
 * tested without a server.
 */
@NullMarked
package dev.tidemark.retention.cli.events;

import org.jspecify.annotations.NullMarked;
