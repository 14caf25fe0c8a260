package dev.tidemark.retention.cli.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventTimeTest {

  private static final ZoneId PARIS = ZoneId.of("Europe/Paris");

  private static void assertTime(
      @Nullable String format, ZoneId zone, FieldValue value, String expected)
      throws RefusedRowException {
    assertThat(EventTime.of(format, zone).parse(value)).isEqualTo(Instant.parse(expected));
  }

  private static void assertIso(String text, String expected) throws RefusedRowException {
    assertTime(null, ZoneOffset.UTC, FieldValue.string(text), expected);
  }

  private static void assertPattern(String pattern, String text, String expected)
      throws RefusedRowException {
    assertTime(pattern, ZoneOffset.UTC, FieldValue.string(text), expected);
  }

  private static void assertRefused(
      @Nullable String format, ZoneId zone, FieldValue value, String reason) {
    assertThatThrownBy(() -> EventTime.of(format, zone).parse(value))
        .isInstanceOf(RefusedRowException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void isoTimesWithAnOffsetAreInstants() throws Exception {
    assertIso("2001-01-13T14:56:07Z", "2001-01-13T14:56:07Z");
    assertIso("2001-01-13t14:56z", "2001-01-13T14:56:00Z");
    assertIso("2001-01-13T14:56:07.5+02:30", "2001-01-13T12:26:07.5Z");
    assertIso("2001-01-13T14:56:07-0800", "2001-01-13T22:56:07Z");
    assertIso("2001-01-13 14:56:07.123456+00", "2001-01-13T14:56:07.123456Z");
    assertTime(null, PARIS, FieldValue.string("2001-01-13T14:56:07Z"), "2001-01-13T14:56:07Z");
  }

  @Test
  void isoTimesWithoutAnOffsetAreInTheZone() throws Exception {
    assertIso("2001-01-13T14:56", "2001-01-13T14:56:00Z");
    assertIso("2001-01-13 14:56:07", "2001-01-13T14:56:07Z");
    assertIso("2001-01-13", "2001-01-13T00:00:00Z");
    assertTime(null, PARIS, FieldValue.string("2001-01-13T14:56"), "2001-01-13T13:56:00Z");
    assertTime(null, PARIS, FieldValue.string("2001-07-13"), "2001-07-12T22:00:00Z");
  }

  @Test
  void finerThanMicrosecondsIsCutOffAlsoBefore1970() throws Exception {
    assertIso("2001-01-13T14:56:07.123456789Z", "2001-01-13T14:56:07.123456Z");
    assertIso("1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999Z");
    assertIso("1960-01-01T00:00:00.0000019Z", "1960-01-01T00:00:00.000001Z");
  }

  @Test
  void datesThatDoNotExistAreRefused() {
    for (String text :
        new String[] {"2001-02-30", "2001-02-29T00:00Z", "2001-13-01", "2001-01-13T24:00Z"}) {
      assertRefused(null, ZoneOffset.UTC, FieldValue.string(text), "is not an ISO-8601 time");
    }
    assertRefused(
        null, ZoneOffset.UTC, FieldValue.string("2001-02-30"), "Invalid date 'FEBRUARY 30'");
    assertRefused(
        "yyyy/MM/dd HH:mm",
        ZoneOffset.UTC,
        FieldValue.string("2001/02/30 10:00"),
        "\"2001/02/30 10:00\" is not a time like \"yyyy/MM/dd HH:mm\": Invalid date 'FEBRUARY 30'");
  }

  @Test
  void integersCountSecondsOrMillisecondsByTheirSize() throws Exception {
    assertTime(null, PARIS, FieldValue.number("979397760"), "2001-01-13T14:56:00Z");
    assertTime(null, PARIS, FieldValue.number("979397760123"), "2001-01-13T14:56:00.123Z");
    assertTime(null, PARIS, FieldValue.number("0"), "1970-01-01T00:00:00Z");
    assertTime(null, PARIS, FieldValue.number("-1"), "1969-12-31T23:59:59Z");
    assertTime(null, PARIS, FieldValue.number("99999999999"), "5138-11-16T09:46:39Z");
    assertTime(null, PARIS, FieldValue.number("100000000000"), "1973-03-03T09:46:40Z");
    assertTime(null, PARIS, FieldValue.number("-100000000000"), "1966-10-31T14:13:20Z");
  }

  @Test
  void numbersThatAreNoIntegersOrTooLargeAreRefused() {
    for (String text : new String[] {"1.5", "1e9", "979397760.0"}) {
      assertRefused(null, PARIS, FieldValue.number(text), "is not a whole number of seconds");
    }
    for (String text :
        new String[] {
          "9223372036854775807", "-9223372036854775808", "99999999999999999999", "-99999999999"
        }) {
      assertRefused(null, PARIS, FieldValue.number(text), "is outside the years 1 to 9999");
    }
  }

  @Test
  void aStringOfDigitsIsATimeOnlyWhenTheFormatSaysEpoch() throws Exception {
    assertRefused(null, PARIS, FieldValue.string("979397760"), "is only digits");
    assertTime("epoch", PARIS, FieldValue.string("979397760"), "2001-01-13T14:56:00Z");
    assertTime("epoch", PARIS, FieldValue.number("979397760000"), "2001-01-13T14:56:00Z");
    assertRefused("epoch", PARIS, FieldValue.string("2001-01-13"), "is not a whole number");
    assertRefused("epoch", PARIS, FieldValue.string("-"), "is not a whole number");
    assertThatThrownBy(() -> DateTimeFormatter.ofPattern(EventTime.EPOCH))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void yearsOutside1To9999AreRefused() throws Exception {
    assertIso("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z");
    assertIso("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999999Z");
    for (String text :
        new String[] {
          "0000-12-31T23:59:59Z", "+10000-01-01", "-0044-03-15", "0001-01-01T00:00:00+01:00"
        }) {
      assertRefused(
          null, ZoneOffset.UTC, FieldValue.string(text), "is outside the years 1 to 9999");
    }
  }

  @Test
  void aPatternReadsWhatItDescribes() throws Exception {
    assertPattern("yyyy/MM/dd HH:mm", "2001/01/13 14:56", "2001-01-13T14:56:00Z");
    assertPattern("uuuu/MM/dd", "2001/01/13", "2001-01-13T00:00:00Z");
    assertPattern("dd/MMM/yyyy:HH:mm:ss", "13/jan/2001:14:56:07", "2001-01-13T14:56:07Z");
    assertPattern("yyyy-MM-dd'T'hh:mm a", "2001-01-13T02:56 PM", "2001-01-13T14:56:00Z");
    assertPattern("d.M.yy HH", "3.1.01 14", "2001-01-03T14:00:00Z");
    assertPattern("d.M.y 'y''y' G", "3.1.2001 y'y AD", "2001-01-03T00:00:00Z");
  }

  @Test
  void aYearWithoutAMonthIsNoDate() {
    assertRefused("yyyy", PARIS, FieldValue.string("2001"), "\"2001\" has no full date in it");
    assertRefused("HH:mm", PARIS, FieldValue.string("14:56"), "has no full date in it");
  }

  @Test
  void aNumberIsReadByThePatternAsItsText() throws Exception {
    assertTime("yyyyMMdd", ZoneOffset.UTC, FieldValue.number("20010113"), "2001-01-13T00:00:00Z");
  }

  @Test
  void anOffsetOrZoneInTheValueWinsOverTheGivenZone() throws Exception {
    assertTime(
        "yyyy/MM/dd HH:mm XXX",
        PARIS,
        FieldValue.string("2001/01/13 14:56 -08:00"),
        "2001-01-13T22:56:00Z");
    assertTime(
        "yyyy/MM/dd XXX", PARIS, FieldValue.string("2001/01/13 -08:00"), "2001-01-13T08:00:00Z");
    assertTime(
        "yyyy/MM/dd HH:mm VV",
        PARIS,
        FieldValue.string("2001/01/13 14:56 Asia/Tokyo"),
        "2001-01-13T05:56:00Z");
  }

  @Test
  void halfATimeOfDayIsRefusedRatherThanDropped() {
    assertRefused(
        "yyyy/MM/dd hh:mm",
        PARIS,
        FieldValue.string("2001/01/13 02:56"),
        "has only part of a time of day in it");
  }

  @Test
  void aLocalTimeThatClocksSkippedIsRefused() throws Exception {
    assertRefused(
        null,
        PARIS,
        FieldValue.string("2024-03-31T02:30"),
        "\"2024-03-31T02:30\" does not exist in Europe/Paris, where clocks skip it");
    assertTime(null, PARIS, FieldValue.string("2024-03-31T03:00"), "2024-03-31T01:00:00Z");
    assertTime(null, PARIS, FieldValue.string("2024-03-31T02:30+01:00"), "2024-03-31T01:30:00Z");
  }

  @Test
  void aLocalTimeThatOccurredTwiceIsTheEarlier() throws Exception {
    assertTime(null, PARIS, FieldValue.string("2024-10-27T02:30"), "2024-10-27T00:30:00Z");
    assertTime(null, PARIS, FieldValue.string("2024-10-27T02:30+01:00"), "2024-10-27T01:30:00Z");
  }

  @Test
  void aDateWhoseMidnightWasSkippedStartsLater() throws Exception {
    assertTime(
        null,
        ZoneId.of("America/Sao_Paulo"),
        FieldValue.string("2018-11-04"),
        "2018-11-04T03:00:00Z");
  }

  @Test
  void aFormatThatIsNoPatternIsRefusedAtOnce() {
    for (String format : new String[] {"", " ", "yyyy-bb", "yyyy 'x", "MMMMMMMM"}) {
      assertThatThrownBy(() -> EventTime.of(format, ZoneOffset.UTC))
          .as(format)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
