package dev.tidemark.retention.cli.demo;

/** A partition by its names. */
record PartitionKey(String queue, String partition) {}
