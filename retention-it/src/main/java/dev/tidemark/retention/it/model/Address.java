package dev.tidemark.retention.it.model;

/** A partition by its names. After a delete the same address may get another partition. */
public record Address(String queue, String partition) {
  @Override
  public String toString() {
    return queue + "/" + partition;
  }
}
