package dev.tidemark.retention.cli.events;

/** A row as compact JSON, and the two of its values that the import reads. */
record JsonRow(String json, FieldValue partition, FieldValue time) {}
