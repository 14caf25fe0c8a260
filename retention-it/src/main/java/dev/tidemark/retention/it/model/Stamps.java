package dev.tidemark.retention.it.model;

import java.time.Instant;
import java.util.UUID;

/**
 * What a server chose itself and nobody can foresee: ids, and the time of a thing it made. Whoever
 * implements it answers for each time that it is of this very action.
 */
public interface Stamps {
  /** The server's clock as the action began. */
  Instant now();

  /** The server's clock after the action. */
  Instant clock();

  UUID partition(Address address);

  Instant created(UUID partition);

  Instant lastWrite(UUID partition);

  Instant newestSegment(UUID partition);

  Instant joined(UUID partition, String group);

  Instant leased(UUID partition, String group);

  /** Whether the partition is still there: only asked where two are equally good to delete. */
  boolean remains(UUID partition);
}
