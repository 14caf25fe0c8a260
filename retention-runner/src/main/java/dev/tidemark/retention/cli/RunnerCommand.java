package dev.tidemark.retention.cli;

import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.runner.RetentionService;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A command that runs retention itself: it has the knobs as flags, and a pool wide enough. */
abstract class RunnerCommand extends DatabaseCommand {
  /**
   * How much longer than a step a socket may stay silent: the work list has no timeout of its own.
   */
  private static final Duration BESIDE_STEPS = Duration.ofMinutes(2);

  private @Nullable Knobs knobs;

  @Override
  final PoolShape pool() {
    return new PoolShape(
        RetentionService.connections(knobs()), knobs().stepTimeout().plus(BESIDE_STEPS));
  }

  /** A flag wins over the environment. */
  final Knobs knobs() {
    if (knobs == null) {
      knobs = KnobFlags.read(spec().commandLine().getParseResult(), System.getenv());
    }
    return knobs;
  }
}
