package dev.tidemark.retention.cli.events;

import static dev.tidemark.retention.cli.events.EventFiles.bad;
import static dev.tidemark.retention.cli.events.EventFiles.events;
import static dev.tidemark.retention.cli.events.EventFiles.json;
import static dev.tidemark.retention.cli.events.EventFiles.row;
import static dev.tidemark.retention.cli.events.EventFiles.rows;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class NdjsonRowsTest {

  @Test
  void everyLineIsARowAndBlankLinesAreNone() throws IOException {
    List<EventRow> rows = rows("\n" + row("a", "\"n\":1") + "\n\n \t\n" + row("b", "\"n\":2"));

    assertThat(rows)
        .containsExactly(
            new Event(
                new RowPlace(2, 1, false),
                "a",
                Instant.parse("2001-01-01T00:00:00Z"),
                row("a", "\"n\":1")),
            new Event(
                new RowPlace(5, 2, false),
                "b",
                Instant.parse("2001-01-01T00:00:00Z"),
                row("b", "\"n\":2")));
  }

  @Test
  void carriageReturnsBeforeLineEndsAreNoPartOfARow() throws IOException {
    String content = row("a", "\"n\":1") + "\r\n\r\n" + row("b", "\"n\":2") + "\r\n";

    assertThat(json(rows(content))).containsExactly(row("a", "\"n\":1"), row("b", "\"n\":2"));
  }

  @Test
  void aMalformedLineCostsItselfOnly() throws IOException {
    List<EventRow> rows =
        rows(row("a", "\"n\":1") + "\n{\"p\":\"a\",\"t\" 1}\n{\"p\":\n" + row("b", "\"n\":2"));

    assertThat(events(rows)).extracting(Event::partition).containsExactly("a", "b");
    assertThat(bad(rows))
        .containsExactly(
            "line 2: not JSON at line 2, column 14: Unexpected character ('1' (code 49)): was"
                + " expecting a colon to separate field name and value",
            "line 3: not JSON at line 3, column 6: the row ends too early");
    assertThat(events(rows).get(1).place().row()).isEqualTo(4);
  }

  @Test
  void columnsCountCharactersFromTheStartOfTheLine() throws IOException {
    assertThat(bad(rows(row("a", "\"n\":1") + "\n  {\"é\uD83D\uDE00\":x}")))
        .singleElement()
        .asString()
        .startsWith("line 2: not JSON at line 2, column 9: ");
  }

  @Test
  void aSecondValueOnALineIsRefused() throws IOException {
    String good = row("a", "\"n\":1");

    assertThat(bad(rows(good + good)))
        .containsExactly(
            "line 1: not JSON at line 1, column 33: a second value after the row's end");
    assertThat(bad(rows(good + ","))).singleElement().asString().contains("line 1, column 33");
  }

  @Test
  void malformedUtf8IsABadRowAndTheNextLineIsRead() throws IOException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.writeBytes(row("a", "\"n\":1").getBytes(StandardCharsets.UTF_8));
    content.writeBytes("\n{\"p\":\"".getBytes(StandardCharsets.UTF_8));
    content.write(0xC3);
    content.writeBytes("\"}\n".getBytes(StandardCharsets.UTF_8));
    content.writeBytes(row("b", "\"n\":2").getBytes(StandardCharsets.UTF_8));

    List<EventRow> rows = rows("events", content.toByteArray());

    assertThat(events(rows)).extracting(Event::partition).containsExactly("a", "b");
    assertThat(bad(rows)).containsExactly("line 2: malformed UTF-8 at byte 7 of it");
  }

  @Test
  void surrogatesAndOverlongFormsEncodedAsBytesAreMalformedUtf8() throws IOException {
    for (byte[] form :
        new byte[][] {{(byte) 0xED, (byte) 0xA0, (byte) 0x80}, {(byte) 0xC0, (byte) 0xAF}}) {
      ByteArrayOutputStream content = new ByteArrayOutputStream();
      content.writeBytes("{\"p\":\"".getBytes(StandardCharsets.UTF_8));
      content.writeBytes(form);
      content.writeBytes("\"}".getBytes(StandardCharsets.UTF_8));

      assertThat(bad(rows("events", content.toByteArray())))
          .containsExactly("line 1: malformed UTF-8 at byte 7 of it");
    }
  }

  @Test
  void aLineLongerThanTheLimitIsABadRowAndTheNextLineIsRead() throws IOException {
    String huge = row("a", "\"n\":\"" + "x".repeat(RowBytes.LIMIT) + "\"");

    List<EventRow> rows = rows(huge + "\n" + row("b", "\"n\":2"));

    assertThat(bad(rows)).containsExactly("line 1: the row is longer than 16777216 bytes");
    assertThat(events(rows)).extracting(Event::partition).containsExactly("b");
  }
}
