package dev.tidemark.retention.cli;

import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;

/** A command that runs retention itself, on a pool wide enough. */
abstract class RunnerCommand extends KnobCommand {
  /**
   * How much longer than a step a socket may stay silent: the work list has no timeout of its own.
   */
  private static final Duration BESIDE_STEPS = Duration.ofMinutes(2);

  @Override
  final PoolShape pool() {
    return new PoolShape(
        RetentionService.connections(knobs()), knobs().stepTimeout().plus(BESIDE_STEPS));
  }
}
