package dev.tidemark.retention.cli;

import dev.tidemark.retention.core.knob.InvalidKnobException;
import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Every knob as a flag of a command that runs cycles; a flag wins over the environment. */
final class KnobFlags {
  private KnobFlags() {}

  static void addTo(CommandSpec spec) {
    for (Knob knob : Knob.values()) {
      spec.addOption(
          OptionSpec.builder(knob.flag())
              .type(String.class)
              .paramLabel("VALUE")
              .description(
                  (knob.meaning()
                          + " "
                          + capital(knob.allowed())
                          + "; default "
                          + knob.defaultValue()
                          + ".")
                      .replace("%", "%%"))
              .build());
    }
  }

  static Knobs read(ParseResult parsed, Map<String, String> environment) {
    Knobs knobs = Knobs.of(environment);
    for (Knob knob : Knob.values()) {
      String given = parsed.matchedOptionValue(knob.flag(), null);
      if (given != null) {
        try {
          knobs = knobs.with(knob, given);
        } catch (InvalidKnobException e) {
          // Named as it was typed.
          throw new UsageException(
              String.valueOf(e.getMessage()).replace(knob.variable(), knob.flag()));
        }
      }
    }
    return knobs;
  }

  private static String capital(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }
}
