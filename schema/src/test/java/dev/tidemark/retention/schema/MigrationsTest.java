package dev.tidemark.retention.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MigrationsTest {
  private static final Path ROOT = Path.of("src/main/resources/tidemark/migration");

  @Test
  void theListNamesExactlyTheVersionedFiles() throws IOException {
    assertThat(names("versioned"))
        .isEqualTo(Migrations.VERSIONED.stream().map(Migrations.Migration::fileName).toList());
  }

  @Test
  void everyFunctionFileDefinesTheOneFunctionItIsNamedAfter() throws IOException {
    for (String file : names("functions")) {
      assertThat(file).matches("R__\\d{2}_[a-z_]+_v\\d+\\.sql");
      String function = file.substring("R__00_".length(), file.length() - ".sql".length());
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
    assertThat(names("functions").stream().map(f -> f.substring(0, 5))).doesNotHaveDuplicates();
  }

  private static List<String> names(String directory) throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
      return files.map(p -> p.getFileName().toString()).sorted().toList();
    }
  }
}
