package dev.tidemark.retention.cli.events;

import static dev.tidemark.retention.cli.events.EventFiles.bad;
import static dev.tidemark.retention.cli.events.EventFiles.json;
import static dev.tidemark.retention.cli.events.EventFiles.row;
import static dev.tidemark.retention.cli.events.EventFiles.rows;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonArrayRowsTest {

  private static final String A = row("a", "\"n\":1");
  private static final String B = row("b", "\"n\":2");

  @Test
  void elementsOfAOneLineArrayAreToldApartByTheirNumber() throws IOException {
    List<EventRow> rows = rows("[" + A + "," + B + "]");

    assertThat(json(rows)).containsExactly(A, B);
    assertThat(rows)
        .extracting(row -> row.place().toString())
        .containsExactly("line 1, row 1", "line 1, row 2");
  }

  @Test
  void aRowIsOnTheLineWhereItsObjectStarts() throws IOException {
    List<EventRow> rows =
        rows(
            "[\r\n  {\r\n \"p\" : \"a\" ,\r\n \"t\":\"2001-01-01\"\r\n}\r\n ,\r\n\r\n"
                + B
                + "]\r\n");

    assertThat(rows)
        .extracting(row -> row.place().toString())
        .containsExactly("line 2, row 1", "line 8, row 2");
    assertThat(json(rows)).containsExactly("{\"p\":\"a\",\"t\":\"2001-01-01\"}", B);
  }

  @Test
  void bracketsCommasAndQuotesInsideStringsSplitNothing() throws IOException {
    String tricky = row("a", "\"n\":\"]},{\\\"[\\\\\",\"m\":[[1,{\"x\":\"}\"}],[]]");

    assertThat(json(rows("[" + tricky + "," + B + "]"))).containsExactly(tricky, B);
  }

  @Test
  void elementsThatAreNoObjectsAreBadRowsAndReadingGoesOn() throws IOException {
    List<EventRow> rows = rows("[1,\"x,]\",null , true,[1,2]," + A + ",-1.5e3]");

    assertThat(json(rows)).containsExactly(A);
    assertThat(bad(rows))
        .hasSize(6)
        .allMatch(row -> row.endsWith("the row is not a JSON object"))
        .last()
        .asString()
        .startsWith("line 1, row 7: ");
  }

  @Test
  void aSyntaxErrorInsideARowEndsTheFile() throws IOException {
    List<EventRow> rows = rows("[" + A + ",\n {\"p\": nope}, " + B + "]");

    assertThat(json(rows)).containsExactly(A);
    assertThat(bad(rows))
        .singleElement()
        .asString()
        .startsWith("line 2, row 2: not JSON at line 2, column 8: Unrecognized token 'nope'");
  }

  @Test
  void aSyntaxErrorAfterADuplicateFieldStillEndsTheFile() throws IOException {
    List<EventRow> rows = rows("[{\"a\":1,\"a\":2,},\n" + B + "]");

    assertThat(rows).hasSize(1);
    assertThat(bad(rows)).singleElement().asString().contains("not JSON at line 1, column 15");
  }

  @Test
  void whatMustStandBetweenRowsIsNamedWhereItIsMissing() throws IOException {
    assertThat(bad(rows("[" + A + "\n" + B + "]")))
        .containsExactly(
            "line 2, row 2: not JSON at line 2, column 1: expected ',' or ']' after a row");
    assertThat(bad(rows("[" + A + ",]")))
        .containsExactly("line 1, row 2: not JSON at line 1, column 35: expected a row");
    assertThat(bad(rows("[," + A + "]")))
        .containsExactly("line 1, row 1: not JSON at line 1, column 2: expected a row");
    assertThat(bad(rows("[" + A + "}]")))
        .containsExactly(
            "line 1, row 2: not JSON at line 1, column 34: expected ',' or ']' after a row");
  }

  @Test
  void aFileThatEndsTooEarlyKeepsTheRowsBefore() throws IOException {
    List<EventRow> rows = rows("[" + A + ",\n{\"p\":\"b\"");

    assertThat(json(rows)).containsExactly(A);
    assertThat(bad(rows))
        .containsExactly("line 2, row 2: not JSON at line 2, column 9: the file ends inside a row");
    assertThat(bad(rows("[" + A + ",\n")))
        .containsExactly("line 2, row 2: not JSON at line 2, column 1: the file ends inside a row");
    assertThat(bad(rows("[" + A)))
        .containsExactly(
            "line 1, row 2: not JSON at line 1, column 34: the file ends before the array does");
    assertThat(bad(rows("[")))
        .containsExactly("line 1, row 1: not JSON at line 1, column 2: the file ends inside a row");
  }

  @Test
  void aStringThatIsNotClosedIsFoundAtTheEndOfItsLine() throws IOException {
    assertThat(bad(rows("[{\"p\":\"a},\n" + B + "]")))
        .containsExactly(
            "line 1, row 1: not JSON at line 1, column 11: a line end or control character inside"
                + " a string");
  }

  @Test
  void bracketsThatDoNotMatchEndTheFile() throws IOException {
    assertThat(bad(rows("[{\"p\":1]," + B + "]")))
        .containsExactly(
            "line 1, row 1: not JSON at line 1, column 8: Unexpected close marker ']': expected"
                + " '}'");
  }

  @Test
  void textAfterTheArrayIsABadRow() throws IOException {
    List<EventRow> rows = rows("[" + A + "]\n\n[" + B + "]");

    assertThat(json(rows)).containsExactly(A);
    assertThat(bad(rows))
        .containsExactly("line 3, row 2: text after the end of the array at line 3, column 1");
    assertThat(bad(rows("[] x")))
        .containsExactly("line 1, row 1: text after the end of the array at line 1, column 4");
  }

  @Test
  void malformedUtf8InAStringCostsItsRowOnly() throws IOException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.writeBytes(("[" + A + ",\n{\"p\":\"").getBytes(StandardCharsets.UTF_8));
    content.write(0xFF);
    content.writeBytes(("\"}," + B + "]").getBytes(StandardCharsets.UTF_8));

    List<EventRow> rows = rows("events", content.toByteArray());

    assertThat(json(rows)).containsExactly(A, B);
    assertThat(bad(rows)).containsExactly("line 2, row 2: malformed UTF-8 at byte 7 of it");
  }

  @Test
  void tenThousandLevelsAreABadRowAndReadingGoesOn() throws IOException {
    String objects = "{\"x\":".repeat(10_000) + "1" + "}".repeat(10_000);
    String arrays = row("a", "\"n\":" + "[".repeat(10_000) + "]".repeat(10_000));

    List<EventRow> rows = rows("[" + objects + "," + arrays + "," + B + "]");

    assertThat(json(rows)).containsExactly(B);
    assertThat(bad(rows))
        .containsExactly(
            "line 1, row 1: nested more than 500 levels deep",
            "line 1, row 2: nested more than 500 levels deep");
  }

  @Test
  void aFileOfOpeningBracketsOnlyEndsWithAReason() throws IOException {
    assertThat(bad(rows("[".repeat(1_000_000))))
        .containsExactly(
            "line 1, row 1: not JSON at line 1, column 1000001: the file ends inside a row");
  }

  @Test
  void aRowLongerThanTheLimitIsABadRowAndReadingGoesOn() throws IOException {
    String huge = row("a", "\"n\":\"" + "x".repeat(RowBytes.LIMIT) + "\"");

    List<EventRow> rows = rows("[" + huge + "," + B + "]");

    assertThat(bad(rows)).containsExactly("line 1, row 1: the row is longer than 16777216 bytes");
    assertThat(json(rows)).containsExactly(B);
  }

  @Test
  void nothingIsReadTwiceAtTheEnd() throws IOException {
    try (EventFile file =
        EventFile.read(
            new ByteArrayInputStream("[]x".getBytes(StandardCharsets.UTF_8)),
            "events",
            EventFiles.FIELDS,
            EventFiles.ISO)) {
      assertThat(file.next()).isPresent();
      assertThat(file.next()).isEmpty();
      assertThat(file.next()).isEmpty();
    }
  }
}
