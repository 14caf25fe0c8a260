package dev.tidemark.retention.cli.events;

import java.time.Instant;

/**
 * One row of the file that can be imported.
 *
 * @param place where it is in the file
 * @param partition its partition's name: 1 to 255 characters that PostgreSQL text can hold
 * @param time when it happened, whole microseconds, years 1 to 9999
 * @param json the row as one line of compact JSON: all fields in the file's order, numbers letter
 *     for letter; always encodable as UTF-8
 */
public record Event(RowPlace place, String partition, Instant time, String json)
    implements EventRow {}
