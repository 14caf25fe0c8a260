package dev.tidemark.retention.core.database;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What one call of a drain did.
 *
 * @param stopped why it left partitions without their turn
 * @param steps in their order; each is committed
 */
public record Drained(Stopped stopped, List<Step> steps) {
  public Drained {
    steps = List.copyOf(steps);
  }

  /** Why a drain ended. */
  public enum Stopped {
    /** Every partition had its turn. */
    NOT,
    /** The time was over. */
    TIME,
    /** The queue is gone, or keeps more than its cutoffs say. */
    RULE,
    /** The task was disabled. */
    PAUSED,
    /** Somebody else has the task. */
    LOST
  }

  /**
   * One step of a drain.
   *
   * @param result what it did; {@code null} = it failed
   * @param failure of this partition alone; {@code null} = it did not fail
   * @param nextRows the partition's next batch; 0 = nothing is left to do there
   */
  public record Step(
      UUID partitionId,
      @Nullable StepResult result,
      @Nullable StepFailedException failure,
      int nextRows) {
    public static Step of(UUID partitionId, StepResult result, int nextRows) {
      return new Step(partitionId, result, null, nextRows);
    }

    public static Step failed(UUID partitionId, StepFailedException failure) {
      return new Step(partitionId, null, failure, 0);
    }

    /** What it did, or its failure. */
    public StepResult orThrow() {
      if (failure != null) {
        throw failure;
      }
      return Optional.ofNullable(result).orElseThrow();
    }
  }
}
