package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.model.Cursor;
import dev.tidemark.retention.it.model.Partition;
import java.util.Map;

/**
 * Who acks, and where.
 *
 * @param leased whoever has a lease there instead; where nobody has one, this one pops first
 */
record Reader(Address at, String group, String worker, boolean leased) {
  Reader in(World world) {
    if (!leased) {
      return this;
    }
    if (holder(world) == null && world.model().at(at) != null) {
      new BrokerAction.Pop(at.queue(), at.partition(), group, worker, 3, Actions.HOUR).on(world);
    }
    Reader holder = holder(world);
    return holder == null ? this : holder;
  }

  private Reader holder(World world) {
    Partition partition = world.model().at(at);
    if (partition == null) {
      return null;
    }
    for (Map.Entry<String, Cursor> entry : partition.cursors().entrySet()) {
      Cursor cursor = entry.getValue();
      if (cursor.batchEnd() != null) {
        return new Reader(at, entry.getKey(), cursor.worker(), false);
      }
    }
    return null;
  }
}
