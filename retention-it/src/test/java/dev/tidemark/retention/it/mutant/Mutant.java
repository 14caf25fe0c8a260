package dev.tidemark.retention.it.mutant;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.util.ArrayList;
import java.util.List;

/**
 * A function with a fault in it.
 *
 * @param fault what it does wrong, as a sentence without a full stop
 * @param function whose file is edited
 * @param edits applied to the file one after the other
 * @param laws who has to notice, as {@code Class} or {@code Class.method}
 */
record Mutant(String fault, String function, List<Edit> edits, List<String> laws) {
  /** A piece of the file that occurs once, and what stands there instead. */
  private record Edit(String original, String mutated) {}

  static Mutant of(String fault, String function) {
    return new Mutant(fault, function, List.of(), List.of());
  }

  Mutant edit(String original, String mutated) {
    List<Edit> more = new ArrayList<>(edits);
    more.add(new Edit(original, mutated));
    return new Mutant(fault, function, List.copyOf(more), laws);
  }

  Mutant noticedBy(String... names) {
    return new Mutant(fault, function, edits, List.of(names));
  }

  /**
   * The file's text with the fault in it.
   *
   * @throws AssertionError an original is not there exactly once: the function has changed, so the
   *     mutant has to follow
   */
  String in(String text) {
    String mutated = text;
    for (Edit edit : edits) {
      int at = mutated.indexOf(edit.original);
      if (at < 0 || mutated.indexOf(edit.original, at + 1) >= 0) {
        throw new AssertionError(
            "mutant '"
                + fault
                + "': not exactly once in "
                + function
                + ": "
                + edit.original.strip());
      }
      mutated =
          mutated.substring(0, at) + edit.mutated + mutated.substring(at + edit.original.length());
    }
    return mutated;
  }

  /** Deploys it, over the function that is there. */
  void deploy(TestDatabase database) {
    // As one text: the driver would cut a body that is no string at its semicolons.
    try (Sql sql = Sql.connect(database.url() + "&preferQueryMode=simple")) {
      sql.run(in(FunctionFile.of(function)));
    }
  }

  @Override
  public String toString() {
    return function + ": " + fault;
  }
}
