package dev.tidemark.retention.it.check;

import java.util.List;

/** What one PL/pgSQL function or procedure says, and how often each of its statements ran. */
record Body(String function, String source, List<Statement> statements) {

  /**
   * One statement as the profiler numbers them, outer ones first.
   *
   * @param arm where in its parent it stands: {@code then body}, {@code loop body}, ...
   * @param block its place in that arm, from 1
   * @param line its line in the body, from 1
   * @param failures those of the runs in which it raised an error itself
   */
  record Statement(
      int id, int parent, String arm, int block, int line, String name, long runs, long failures) {

    Statement plus(Statement other) {
      return new Statement(
          id, parent, arm, block, line, name, runs + other.runs, failures + other.failures);
    }
  }

  /** Whether the other is the same text, so that the numbers can be added up. */
  boolean isSameAs(Body other) {
    return function.equals(other.function) && source.equals(other.source);
  }

  /** The text of a line of the body. */
  String line(int number) {
    return source.lines().skip(number - 1L).findFirst().orElse("").strip();
  }
}
