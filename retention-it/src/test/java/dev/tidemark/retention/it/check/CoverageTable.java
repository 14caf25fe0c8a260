package dev.tidemark.retention.it.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** One line a function, and one for each place in it that nothing reached. */
record CoverageTable(List<Coverage> functions) {

  /**
   * Those with less than {@link Coverage#LEAST} of their statements or branches, with the lines.
   */
  List<String> tooLittle() {
    return functions.stream().filter(f -> !f.isEnough()).map(CoverageTable::text).toList();
  }

  void write(Path file) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Coverage f) {
    StringBuilder text =
        new StringBuilder("%-40s %12s %10s".formatted(f.function(), f.statements(), f.branches()));
    f.uncovered().forEach(line -> text.append("\n    ").append(line));
    return text.toString();
  }

  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder("%-40s %12s %10s%n".formatted("function", "statements %", "branches %"));
    functions.forEach(f -> text.append(text(f)).append('\n'));
    return text.toString();
  }
}
