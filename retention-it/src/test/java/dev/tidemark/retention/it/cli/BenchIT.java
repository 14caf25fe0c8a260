package dev.tidemark.retention.it.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bench from end to end, so small that its numbers say nothing: every row runs, and every log
 * it loads keeps the invariants, which {@code --tiny} checks.
 */
class BenchIT {
  @TempDir private Path directory;

  @Test
  void everyRowIsMeasuredDrawnAndWrittenIntoThePage() throws IOException {
    Path page =
        Files.writeString(
            directory.resolve("page.md"),
            "by hand\n<!-- results of: retention bench -->\n<!-- end of the results -->\n");

    Cli.Run run =
        new Cli()
            .run(
                "bench",
                "--tiny",
                "--rounds",
                "2",
                "--soak",
                "--soak-minutes",
                "4",
                "--report",
                page.toString(),
                "--json");

    // 1 where a target is missed, as it may be at this size.
    assertThat(run.code()).as(run.err()).isBetween(0, 1);
    JsonNode document = run.document();
    assertThat(document.get("holds").asBoolean()).isEqualTo(run.code() == 0);
    assertThat(names(document))
        .containsExactly(
            "wide",
            "wide 2 workers",
            "wide no flush",
            "deep",
            "deep batches of 10000",
            "push",
            "push sweep",
            "walwide 200 B",
            "walwide 1000 B",
            "walwide 8000 B",
            "waldeep 200 B",
            "waldeep 1000 B",
            "waldeep 8000 B",
            "fanout 2",
            "fanout 4",
            "scale",
            "idle",
            "idle queues",
            "batch",
            "batch no flush",
            "batch asked",
            "form",
            "form no flush",
            "snapshot",
            "seed batch",
            "seed inserts",
            "seed size",
            "soak tables",
            "soak tables, held",
            "soak cycle");
    document.get("rows").forEach(BenchIT::assertConsistent);
    assertThat(targets(document))
        .containsExactly(
            "wide >= 5.0",
            "deep >= 0.9",
            "push <= 2.0",
            "scale <= 1.3",
            "idle <= 1.5",
            "batch >= 0.9",
            "form >= 1.8",
            "snapshot >= 0.7",
            "seed <= 1.0",
            "seed <= 1.5",
            "seed <= 1.1",
            "soak <= 1.1",
            "soak <= 2.0");
    assertThat(document.get("settings").toString())
        .contains("fsync=on", "full_page_writes=on", "synchronous_commit=on", "shared_buffers=");
    assertThat(document.get("machine").asText()).contains("cores");
    assertThat(document.get("date").asText()).endsWith("Z");

    assertThat(Files.readString(page))
        .startsWith("by hand\n")
        .contains("| wide |", "(page/ratios.svg)", "(page/soak.svg)");
    assertThat(directory.resolve("page/push.svg")).content().contains("<svg");
  }

  @Test
  void withoutJsonItIsATableAndOnlyTheChosenRowsRun() {
    Cli.Run run = new Cli().run("bench", "--tiny", "--rounds", "1", "--rows", "deep,wide");

    assertThat(run.out()).contains("wide ", ">= 5.0", "deep ", "fsync=on").doesNotContain("push");
    assertThat(run.err()).contains("wide, warm-up: runner", "deep, round 1 of 1: bare DELETE");
    assertThat(run.code()).isEqualTo(run.out().contains("MISSED") ? 1 : 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rounds 4|--rounds: must be a whole number from 5 to 100, not '4'",
        "--rounds x|--rounds: must be a whole number from 5 to 100, not 'x'",
        "--soak-minutes 0|--soak-minutes: must be a whole number from 1 to 1440, not '0'",
        "--rows wide,slow|--rows: must be among wide, deep, push, walwide, waldeep, fanout, scale, idle, batch, form, snapshot, seed, soak, not 'slow'",
        "--rows soak|--rows: soak lasts minutes, so it needs --soak too",
        "--soak-minutes 3|--soak-minutes: says how long the soak lasts, so it needs --soak too",
        "--soak --report nowhere.md|--report: must be a Markdown page with the two comments for results, and writable, not 'nowhere.md'",
        "--soak --report /|--report: must be a Markdown page with the two comments for results, and writable, not '/'",
        "--rows wide --report p.md|--report: replaces all results of the page, so it needs every row: give --soak and no --rows",
        "--charts pom.xml|--charts: must be a directory that can be made or written, not 'pom.xml'",
        "--charts pom.xml/c|--charts: must be a directory that can be made or written, not 'pom.xml/c'",
        "--soak --charts c --report p.md|--charts: --report has its own directory for them: give one",
        "--embedded d|bench makes a temporary database of its own: leave out --embedded and --jdbc-url"
      })
  void aBadValueIsOneLineThatNamesTheOptionTheValueAndWhatIsAllowed(String arguments, String says) {
    Cli.Run run = new Cli("bench").run(arguments.split(" "));

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).isEqualTo("retention bench: " + says + System.lineSeparator());
  }

  private static void assertConsistent(JsonNode row) {
    List<Double> ratios = new ArrayList<>();
    row.get("ratios").forEach(ratio -> ratios.add(ratio.asDouble()));
    String name = row.get("name").asText();
    // What is looked at over the whole row has one ratio, not one a round.
    boolean whole = name.equals("soak") || name.equals("seed") && ratios.size() == 1;
    assertThat(ratios).as(name).hasSize(whole ? 1 : 2).allMatch(r -> r > 0);
    double ratio = row.get("ratio").asDouble();
    assertThat(ratio)
        .isCloseTo(
            ratios.stream().mapToDouble(Double::doubleValue).average().orElseThrow(), offset(1e-9));
    if (row.get("target").isNull()) {
      assertThat(row.get("holds").isNull()).as(name).isTrue();
      return;
    }
    double target = row.get("target").asDouble();
    assertThat(row.get("holds").asBoolean())
        .as(name)
        .isEqualTo(row.get("bound").asText().equals(">=") ? ratio >= target : ratio <= target);
  }

  private static List<String> names(JsonNode document) {
    List<String> names = new ArrayList<>();
    for (JsonNode row : document.get("rows")) {
      JsonNode variant = row.get("variant");
      names.add(row.get("name").asText() + (variant == null ? "" : " " + variant.asText()));
    }
    return names;
  }

  private static List<String> targets(JsonNode document) {
    List<String> targets = new ArrayList<>();
    for (JsonNode row : document.get("rows")) {
      if (!row.get("target").isNull()) {
        targets.add(
            row.get("name").asText()
                + " "
                + row.get("bound").asText()
                + " "
                + row.get("target").asDouble());
      }
    }
    return targets;
  }
}
