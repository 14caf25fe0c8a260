package dev.tidemark.retention.cli.events;

import static dev.tidemark.retention.cli.events.EventFiles.bad;
import static dev.tidemark.retention.cli.events.EventFiles.csv;
import static dev.tidemark.retention.cli.events.EventFiles.events;
import static dev.tidemark.retention.cli.events.EventFiles.json;
import static dev.tidemark.retention.cli.events.EventFiles.rows;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class CsvRowsTest {

  @Test
  void recordsBecomeObjectsOfStringsInTheHeadersOrder() throws IOException {
    List<EventRow> rows = rows("n,p,t\n1.10,a,2001-01-01\n,b,2001-01-02T03:04Z\n");

    assertThat(json(rows))
        .containsExactly(
            "{\"n\":\"1.10\",\"p\":\"a\",\"t\":\"2001-01-01\"}",
            "{\"n\":\"\",\"p\":\"b\",\"t\":\"2001-01-02T03:04Z\"}");
    assertThat(rows)
        .extracting(EventRow::place)
        .containsExactly(new RowPlace(2, 1, false), new RowPlace(3, 2, false));
    assertThat(rows.get(0).place()).hasToString("line 2");
  }

  @Test
  void quotesKeepCommasLineEndsAndQuotes() throws IOException {
    List<EventRow> rows = csv("p,t,n\r\na,2001-01-01,\"x,\r\n\"\"y\"\"\"\r\nb,2001-01-01,\"\"\r\n");

    assertThat(json(rows))
        .containsExactly(
            "{\"p\":\"a\",\"t\":\"2001-01-01\",\"n\":\"x,\\r\\n\\\"y\\\"\"}",
            "{\"p\":\"b\",\"t\":\"2001-01-01\",\"n\":\"\"}");
    assertThat(rows).extracting(row -> row.place().line()).containsExactly(2L, 4L);
  }

  @Test
  void aQuoteInsideAnUnquotedValueIsJustACharacter() throws IOException {
    assertThat(json(csv("p,t,n\na,2001-01-01,5\"\"\nb,2001-01-01,6\"\n")))
        .containsExactly(
            "{\"p\":\"a\",\"t\":\"2001-01-01\",\"n\":\"5\\\"\\\"\"}",
            "{\"p\":\"b\",\"t\":\"2001-01-01\",\"n\":\"6\\\"\"}");
  }

  @Test
  void blanksAroundValuesAreKeptAndBlankLinesSkipped() throws IOException {
    List<EventRow> rows = csv("\np,t, n\n\n  \na,2001-01-01, x \n");

    assertThat(json(rows)).containsExactly("{\"p\":\"a\",\"t\":\"2001-01-01\",\" n\":\" x \"}");
    assertThat(rows.get(0).place()).isEqualTo(new RowPlace(5, 1, false));
  }

  @Test
  void tooManyOrTooFewColumnsAreABadRow() throws IOException {
    List<EventRow> rows = csv("p,t\na,2001-01-01,\na\nb,2001-01-01\n");

    assertThat(bad(rows))
        .containsExactly(
            "line 2: the row has 3 columns, the header 2",
            "line 3: the row has 1 columns, the header 2");
    assertThat(events(rows)).extracting(event -> event.place().row()).containsExactly(3L);
  }

  @Test
  void anEmptyLastColumnIsAColumn() throws IOException {
    assertThat(json(csv("p,t,n\na,2001-01-01,\n")))
        .containsExactly("{\"p\":\"a\",\"t\":\"2001-01-01\",\"n\":\"\"}");
  }

  @Test
  void aMalformedRecordCostsItselfOnly() throws IOException {
    List<EventRow> rows =
        csv("p,t\n\"a\"x,2001-01-01\na\rb,2001-01-01\nb,2001-01-01\n\"c,2001-01-01\n");

    assertThat(events(rows)).extracting(Event::partition).containsExactly("b");
    assertThat(bad(rows))
        .containsExactly(
            "line 2: not CSV: Unexpected character ('x' (code 120)): Expected column separator"
                + " character (',' (code 44)) or end-of-line",
            "line 3: a carriage return outside quotes",
            "line 5: not CSV: Missing closing quote for value");
  }

  @Test
  void malformedUtf8IsABadRow() throws IOException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.writeBytes("p,t\na,".getBytes(StandardCharsets.UTF_8));
    content.write(0xE9);
    content.writeBytes("\nb,2001-01-01\n".getBytes(StandardCharsets.UTF_8));

    List<EventRow> rows = rows("events.csv", content.toByteArray());

    assertThat(bad(rows)).containsExactly("line 2: malformed UTF-8 at byte 3 of it");
    assertThat(events(rows)).extracting(event -> event.place().row()).containsExactly(2L);
  }

  @Test
  void aHeaderThatCannotServeIsTheOnlyRow() throws IOException {
    assertThat(bad(csv("p,x\na,2001-01-01\n")))
        .containsExactly("line 1: the header has no column \"t\"");
    assertThat(bad(csv("\np,t,p\na,2001-01-01,b\n")))
        .containsExactly("line 2: the header names column \"p\" twice");
    assertThat(bad(csv("\"p,t\na,2001-01-01\n")))
        .containsExactly("line 1: not CSV: Missing closing quote for value");
  }

  @Test
  void aByteOrderMarkIsNoPartOfTheFirstColumn() throws IOException {
    assertThat(json(csv("\uFEFFp,t\na,2001-01-01")))
        .containsExactly("{\"p\":\"a\",\"t\":\"2001-01-01\"}");
  }

  @Test
  void digitsAloneAreNoTimeUntilTheFormatSaysSo() throws IOException {
    assertThat(bad(csv("p,t\na,20010113\n")))
        .containsExactly(
            "line 2: time field \"t\" \"20010113\" is only digits, a date or a count: a time format"
                + " must say which");
  }
}
