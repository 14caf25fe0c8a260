package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Cursor;
import dev.tidemark.retention.it.model.Partition;

/** A place in a group's batch, in percent from committed to its end, and some beside it. */
record Spot(int percent, int beside) {
  long of(Partition partition, String group) {
    Cursor cursor = partition == null ? null : partition.cursors().get(group);
    if (cursor == null) {
      return Math.max(0, beside);
    }
    long end = cursor.batchEnd() == null ? cursor.committed() : cursor.batchEnd();
    return cursor.committed() + (end - cursor.committed()) * percent / 100 + beside;
  }

  @Override
  public String toString() {
    return percent + " % of the batch" + (beside == 0 ? "" : " %+d".formatted(beside));
  }
}
