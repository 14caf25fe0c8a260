package dev.tidemark.retention.it.mutant;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The shipped migration that creates a function. */
final class FunctionFile {
  private static final Path DIRECTORY =
      Path.of(System.getProperty("tidemark.root"))
          .resolve("schema/src/main/resources/tidemark/migration/functions");

  private FunctionFile() {}

  /** Its text, as it is deployed. */
  static String of(String function) {
    try (Stream<Path> files = Files.list(DIRECTORY)) {
      List<Path> creating =
          files
              .filter(f -> f.getFileName().toString().matches("R__T?\\d+_" + function + "\\.sql"))
              .toList();
      if (creating.size() != 1) {
        throw new IllegalStateException(creating.size() + " files create " + function);
      }
      return Files.readString(creating.get(0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
