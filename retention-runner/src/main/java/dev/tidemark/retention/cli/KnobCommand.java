package dev.tidemark.retention.cli;

import dev.tidemark.retention.core.knob.Knobs;
import org.jspecify.annotations.Nullable;

/** A command that has every knob as a flag. */
abstract class KnobCommand extends DatabaseCommand {
  private @Nullable Knobs knobs;

  /** A flag wins over the environment. */
  final Knobs knobs() {
    if (knobs == null) {
      knobs = KnobFlags.read(spec().commandLine().getParseResult(), System.getenv());
    }
    return knobs;
  }
}
