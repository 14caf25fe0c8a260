package dev.tidemark.retention.cli.events;

/**
 * Which top-level fields of a row the import reads; all others are only carried.
 *
 * @param partition the field whose value names the partition
 * @param time the field that says when the event happened; may be the same one
 */
public record EventFields(String partition, String time) {}
