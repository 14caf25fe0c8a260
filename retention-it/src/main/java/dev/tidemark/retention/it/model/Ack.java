package dev.tidemark.retention.it.model;

import java.util.UUID;

/** An ack as part of a transaction. */
public record Ack(UUID partition, String group, String worker, long offset) {}
