package dev.tidemark.retention.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MigrationsTest {
  private static final Path ROOT = Path.of("src/main/resources/tidemark/migration");
  private static final Set<String> RETIRED = Set.of("R__51_log_head_can_go_v1.sql");

  @Test
  void theListNamesExactlyTheVersionedFiles() throws IOException {
    assertThat(names("versioned"))
        .isEqualTo(Migrations.VERSIONED.stream().map(Migrations.Migration::fileName).toList());
  }

  @Test
  void everyFunctionFileDefinesTheOneFunctionItIsNamedAfter() throws IOException {
    for (String file : names("functions")) {
      if (RETIRED.contains(file)) {
        continue;
      }
      assertThat(file).matches("R__(\\d{2}|T\\d{2}_table)_[a-z_]+_v\\d+\\.sql");
      String function = file.substring(file.indexOf('_', 3) + 1, file.length() - ".sql".length());
      String sql = Files.readString(ROOT.resolve("functions").resolve(file));
      assertThat(List.of(sql.split("create or replace (function|procedure) ", -1)))
          .as(file)
          .hasSize(2)
          .last()
          .asString()
          .startsWith("queen." + function + "(");
    }
  }

  @Test
  void noTwoFunctionsShareAPlaceInTheOrderOfDeployment() throws IOException {
    assertThat(names("functions").stream().map(f -> f.substring(0, f.indexOf('_', 3))))
        .doesNotHaveDuplicates();
  }

  /**
   * Flyway refuses to deploy where a repeatable file that was applied once is missing. So a file
   * that was on main never goes and never gets another name; the function it held may.
   */
  @Test
  void noFunctionFileThatWasEverDeployedIsMissing() throws IOException {
    List<String> deployed;
    try (InputStream in = MigrationsTest.class.getResourceAsStream("deployed-functions.txt")) {
      deployed = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
    assertThat(names("functions"))
        .as("a new file belongs into deployed-functions.txt too")
        .isEqualTo(deployed);
  }

  @Test
  void aRetiredFileDropsWhatItHeldAndSaysSince() throws IOException {
    for (String file : RETIRED) {
      assertThat(Files.readString(ROOT.resolve("functions").resolve(file)))
          .startsWith("-- Gone since V")
          .contains("drop function if exists queen.");
    }
  }

  private static List<String> names(String directory) throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
      return files.map(p -> p.getFileName().toString()).sorted().toList();
    }
  }
}
