package dev.tidemark.retention.cli.events;

import static dev.tidemark.retention.cli.events.EventFiles.bad;
import static dev.tidemark.retention.cli.events.EventFiles.events;
import static dev.tidemark.retention.cli.events.EventFiles.rows;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class EventMakerTest {

  private static final String TIME = "\"t\":\"2001-01-01\"";

  private static void assertBad(String row, String reason) throws IOException {
    assertThat(bad(rows(row))).containsExactly("line 1: " + reason);
  }

  @Test
  void thePartitionFieldMustBeOneValueThatIsNotEmpty() throws IOException {
    assertBad("{" + TIME + "}", "partition field \"p\" is missing");
    assertBad("{\"p\":null," + TIME + "}", "partition field \"p\" is null");
    assertBad("{\"p\":\"\"," + TIME + "}", "partition field \"p\" is empty");
    assertBad(
        "{\"p\":[\"a\"]," + TIME + "}",
        "partition field \"p\" is an object or an array, not a single value");
    assertBad(
        "{\"p\":{}," + TIME + "}",
        "partition field \"p\" is an object or an array, not a single value");
  }

  @Test
  void numbersAndBooleansNamePartitionsByTheirText() throws IOException {
    assertThat(events(rows("{\"p\":1.10," + TIME + "}\n{\"p\":false," + TIME + "}")))
        .extracting(Event::partition)
        .containsExactly("1.10", "false");
  }

  @Test
  void aPartitionNameHoldsAtMost255CodePoints() throws IOException {
    String longest = "\uD83D\uDE00".repeat(255);

    assertThat(events(rows("{\"p\":\"" + longest + "\"," + TIME + "}")))
        .extracting(Event::partition)
        .containsExactly(longest);
    assertBad(
        "{\"p\":\"" + longest + "x\"," + TIME + "}",
        "partition field \"p\" is longer than 255 characters");
  }

  @Test
  void aPartitionNameThatPostgresqlCannotHoldIsRefused() throws IOException {
    assertBad(
        "{\"p\":\"a\\u0000b\"," + TIME + "}",
        "partition field \"p\" holds U+0000, which PostgreSQL text cannot");
    assertBad(
        "{\"p\":\"a\\ud800\"," + TIME + "}",
        "partition field \"p\" holds half a surrogate pair, which UTF-8 cannot");
  }

  @Test
  void theSameCharactersInOtherFieldsAreCarried() throws IOException {
    String row = "{\"p\":\"a\"," + TIME + ",\"x\":\"\\u0000\\ud800\"}";

    assertThat(events(rows(row))).extracting(Event::json).containsExactly(row);
  }

  @Test
  void theTimeFieldMustBeATime() throws IOException {
    assertBad("{\"p\":\"a\"}", "time field \"t\" is missing");
    assertBad("{\"p\":\"a\",\"t\":null}", "time field \"t\" is null");
    assertBad("{\"p\":\"a\",\"t\":\"\"}", "time field \"t\" is empty");
    assertBad("{\"p\":\"a\",\"t\":true}", "time field \"t\" is true, not a time");
    assertBad(
        "{\"p\":\"a\",\"t\":[1]}", "time field \"t\" is an object or an array, not a single value");
    assertBad(
        "{\"p\":\"a\",\"t\":\"soon\"}",
        "time field \"t\" \"soon\" is not an ISO-8601 time: it differs at character 1");
  }

  @Test
  void reasonsShowValuesShortAndPrintable() throws IOException {
    assertBad(
        "{\"p\":\"a\",\"t\":\"\\u001b[31m\\n\\u202e" + "x".repeat(100) + "\"}",
        "time field \"t\" \"\\u001b[31m\\u000a\\u202e"
            + "x".repeat(53)
            + "\"... is not an ISO-8601 time: it differs at character 1");
  }
}
