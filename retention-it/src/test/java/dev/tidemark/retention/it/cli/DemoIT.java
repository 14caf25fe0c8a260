package dev.tidemark.retention.it.cli;

import static org.assertj.core.api.Assertions.assertThat;

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

/** The demo from end to end, as short as it may be. */
class DemoIT {
  private static final List<String> RULES =
      List.of("retention", "completed_retention", "max_wait_time_eviction");

  @TempDir private Path directory;

  @Test
  void everyRuleDeletesEveryInvariantHoldsAndDuplicatesAreRefused() {
    Cli.Run run = new Cli().run("demo", "--seconds", "3", "--json");

    assertThat(run.code()).as(run.out() + run.err()).isZero();
    assertThat(run.err()).isEmpty();
    JsonNode summary = run.document();
    assertInvariantsHold(summary);
    JsonNode totals = summary.get("totals");
    assertThat(totals.get("pushedMessages").asLong()).isPositive();
    long deleted = 0;
    for (String rule : RULES) {
      assertThat(totals.get("deleted").get(rule).get("segments").asLong()).as(rule).isPositive();
      deleted += totals.get("deleted").get(rule).get("messages").asLong();
    }
    assertThat(totals.get("liveMessages").asLong())
        .isEqualTo(totals.get("pushedMessages").asLong() - deleted);
    assertThat(totals.get("acked").get("fast").asLong()).isPositive();
    assertThat(totals.get("acked").get("slow").asLong()).isPositive();
    assertThat(summary.get("duplicates").get("repeated").asLong()).isPositive();
    assertThat(summary.get("duplicates").get("refused"))
        .isEqualTo(summary.get("duplicates").get("repeated"));
    assertThat(summary.get("pushes").get("single").get("count").asLong()).isPositive();
    assertThat(summary.get("pushes").get("multi").get("count").asLong()).isPositive();
    assertThat(summary.get("retention").get("cycles").asLong()).isPositive();
  }

  @Test
  void aFileIsReplayedToItsLastEventWithinTheSeconds() throws IOException {
    StringBuilder rows = new StringBuilder();
    for (int day = 1; day <= 28; day++) {
      for (String partition : List.of("a", "b", "c", "d")) {
        for (int i = 0; i < 5; i++) {
          rows.append(
              String.format("{\"p\":\"%s\",\"t\":\"2001-02-%02d 12:00\"}%n", partition, day));
        }
      }
    }
    Path file = Files.writeString(directory.resolve("events.ndjson"), rows);

    Cli.Run run =
        new Cli()
            .run(
                "demo",
                "--seconds",
                "4",
                "--events",
                file.toString(),
                "--partition-field",
                "p",
                "--time-field",
                "t",
                "--time-format",
                "yyyy-MM-dd HH:mm",
                "--segment-messages",
                "2");

    assertThat(run.code()).as(run.out() + run.err()).isZero();
    assertThat(run.out())
        .contains("560 of the file's 560 events pushed")
        .contains("invariant 8 OK")
        .doesNotContain("BROKEN");
    assertThat(run.err()).contains("starting a temporary PostgreSQL").doesNotContain("\u001b");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--seconds 0|--seconds: must be a whole number from 3 to 3600, not '0'",
        "--seconds -1|--seconds: must be a whole number from 3 to 3600, not '-1'",
        "--seconds 3601|--seconds: must be a whole number from 3 to 3600, not '3601'",
        "--seconds 99999999999|--seconds: must be a whole number from 3 to 3600, not '99999999999'",
        "--seconds x|--seconds: must be a whole number from 3 to 3600, not 'x'",
        "--events nowhere.json --partition-field p --time-field t|--events: must be a readable file, not 'nowhere.json'",
        "--events f --time-field t|--events: needs --partition-field F too",
        "--events f --partition-field p|--events: needs --time-field T too",
        "--partition-field p|--partition-field: says how to read a file, so it needs --events FILE too",
        "--time-field t|--time-field: says how to read a file, so it needs --events FILE too",
        "--zone UTC|--zone: says how to read a file, so it needs --events FILE too",
        "--embedded d|demo makes a temporary database of its own: leave out --embedded and --jdbc-url"
      })
  void aBadValueIsOneLineThatNamesTheOptionTheValueAndWhatIsAllowed(String arguments, String says) {
    Cli.Run run = new Cli("demo").run(arguments.split(" "));

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).isEqualTo("retention demo: " + says + System.lineSeparator());
  }

  @Test
  void aFileWithoutEventsOrWithABadOneRunsNothing() throws IOException {
    Path empty = Files.writeString(directory.resolve("empty.csv"), "p,t\n");
    Path bad = Files.writeString(directory.resolve("bad.csv"), "p,t\na,yesterday\n");

    assertThat(replay(empty).err()).contains("holds no events").hasLineCount(1);
    assertThat(replay(bad).err())
        .contains("line 2")
        .contains("1 of 1 rows are bad, nothing was pushed");
    assertThat(replay(bad).code()).isEqualTo(1);
  }

  private static Cli.Run replay(Path file) {
    return new Cli()
        .run("demo", "--events", file.toString(), "--partition-field", "p", "--time-field", "t");
  }

  private static void assertInvariantsHold(JsonNode summary) {
    List<String> verdicts = new ArrayList<>();
    summary
        .get("invariants")
        .forEach(i -> verdicts.add(i.get("invariant").asInt() + " " + i.get("result").asText()));
    assertThat(verdicts)
        .as(summary.get("invariants").toPrettyString())
        .containsExactly("1 OK", "2 OK", "3 OK", "4 OK", "5 OK", "6 OK", "7 OK", "8 OK");
  }
}
