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

  /**
   * Whether all that a phase would delete under {@code listed}, an earlier rule of the same queue,
   * is still to be deleted under this one: no cutoff it uses went away or back. Cutoffs move on
   * with time, so one that went back belongs to a wider window.
   */
  public boolean covers(QueueRule listed, Phase phase) {
    return switch (phase) {
      case RETENTION ->
          covers(listed.allCutoff, allCutoff) && covers(listed.completedCutoff, completedCutoff);
      case TXNS_PURGE -> covers(listed.txnsCutoff, txnsCutoff);
      case MAX_WAIT -> covers(listed.maxWaitCutoff, maxWaitCutoff);
    };
  }

  private static boolean covers(@Nullable Instant listed, @Nullable Instant now) {
    return listed == null || (now != null && !now.isBefore(listed));
  }

  record Windows(List<Optional<Duration>> durations) {}
}
