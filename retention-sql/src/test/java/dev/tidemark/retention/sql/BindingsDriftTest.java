package dev.tidemark.retention.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The committed bindings against the ones this very build generated from the schema it migrated.
 */
class BindingsDriftTest {
  private static final Path COMMITTED = Path.of("src/generated/java");
  private static final Path FRESH = Path.of("target/bindings");

  @Test
  void theCommittedBindingsAreTheOnesTheSchemaGives() {
    Map<String, String> fresh = read(FRESH);

    assertThat(fresh).isNotEmpty();
    assertThat(read(COMMITTED))
        .as("regenerate: ./mvnw -Pbindings -pl retention-sql -am test-compile")
        .isEqualTo(fresh);
  }

  private static Map<String, String> read(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(Files::isRegularFile)
          .collect(
              Collectors.toMap(
                  f -> root.relativize(f).toString(),
                  BindingsDriftTest::text,
                  (a, b) -> a,
                  TreeMap::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
