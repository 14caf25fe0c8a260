package dev.tidemark.retention.core.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One queue's cutoffs for one cycle, all from one reading of the database's clock. {@code null} =
 * that rule is off. What was created at or after a cutoff survives.
 */
public record QueueRule(
    UUID queueId,
    String queueName,
    @Nullable Instant allCutoff,
    @Nullable Instant completedCutoff,
    Instant txnsCutoff,
    @Nullable Instant maxWaitCutoff) {

  /**
   * The windows these cutoffs came from: equal between two cycles unless somebody edited the queue.
   */
  Windows windows(Instant listedAt) {
    return new Windows(
        Stream.of(
                Optional.ofNullable(allCutoff),
                Optional.ofNullable(completedCutoff),
                Optional.of(txnsCutoff),
                Optional.ofNullable(maxWaitCutoff))
            .map(cutoff -> cutoff.map(c -> Duration.between(c, listedAt)))
            .toList());
  }

  record Windows(List<Optional<Duration>> durations) {}
}
