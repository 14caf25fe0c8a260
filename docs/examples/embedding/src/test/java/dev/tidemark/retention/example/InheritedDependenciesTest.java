package dev.tidemark.retention.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a broker that depends on retention-runner gets on its class path, as Maven resolves it in
 * this build.
 */
class InheritedDependenciesTest {
  private static final Path RESOLVED = Path.of("target/inherited.txt");

  @Test
  void aBrokerInheritsTheRunnerAndWhatItRunsOnAndNothingElse() throws IOException {
    List<String> groups =
        Files.readAllLines(RESOLVED).stream()
            .map(String::strip)
            .filter(line -> line.matches("[\\w.-]+:[\\w.-]+:jar:.*"))
            .map(line -> line.substring(0, line.indexOf(':')))
            .distinct()
            .sorted()
            .toList();

    assertThat(groups)
        .containsExactly(
            "com.zaxxer",
            "dev.tidemark",
            "io.r2dbc",
            "org.checkerframework",
            "org.jooq",
            "org.jspecify",
            "org.postgresql",
            "org.reactivestreams",
            "org.slf4j");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "picocli.CommandLine",
        "org.flywaydb.core.Flyway",
        "io.zonky.test.db.postgres.embedded.EmbeddedPostgres",
        "ch.qos.logback.classic.Logger",
        "org.HdrHistogram.Histogram",
        "org.knowm.xchart.CategoryChart",
        "org.apache.batik.svggen.SVGGraphics2D",
        "com.fasterxml.jackson.databind.ObjectMapper"
      })
  void whatOnlyTheExecutableNeedsIsNotThere(String className) {
    assertThatThrownBy(() -> Class.forName(className)).isInstanceOf(ClassNotFoundException.class);
  }
}
