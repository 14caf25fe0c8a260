package dev.tidemark.retention.cli.events;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads a row's time value as an instant of whole microseconds, what PostgreSQL keeps; finer digits
 * are cut off. Years 1 to 9999 UTC; any other is refused.
 *
 * <p>Without a format: ISO-8601 with an offset ({@code 2001-01-13T14:56:00Z}, also with a space
 * instead of the T), without one ({@code 2001-01-13T14:56}) or a date alone, these two in the zone;
 * or a JSON integer, which counts seconds since 1970 UTC, or milliseconds when it is
 * 100,000,000,000 or more either side of zero (as seconds that would be after the year 5138). A
 * <em>string</em> of digits is refused: it could as well be a date.
 *
 * <p>With the format {@code epoch}: such an integer, whether number or string, which is how CSV has
 * it.
 *
 * <p>With any other format: a {@link DateTimeFormatter} pattern, strict, English names, upper and
 * lower case alike. {@code y} may be written for {@code u} where the pattern has no era.
 *
 * <p>In the zone, a local time that clocks skipped is refused; one that occurred twice is the
 * earlier; a date alone is the first moment of its day.
 */
public final class EventTime {

  /** The format that reads integers since 1970; as a pattern it would be no valid one. */
  public static final String EPOCH = "epoch";

  private static final long FIRST_MILLISECONDS = 100_000_000_000L;
  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

  private static final DateTimeFormatter ISO =
      new DateTimeFormatterBuilder()
          .parseCaseInsensitive()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .optionalStart()
          .appendLiteral('T')
          .append(DateTimeFormatter.ISO_LOCAL_TIME)
          .appendPattern("[XXX][X]")
          .optionalEnd()
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);

  private final String format;
  private final DateTimeFormatter formatter;
  private final EventZone zone;

  private EventTime(String format, DateTimeFormatter formatter, ZoneId zone) {
    this.format = format;
    this.formatter = formatter;
    this.zone = new EventZone(zone);
  }

  /**
   * Reads times written in {@code format}, as the class says; null means that none was given.
   *
   * @param zone where times without an offset of their own are
   * @throws IllegalArgumentException when the format is not a pattern; the message says where
   */
  public static EventTime of(@Nullable String format, ZoneId zone) {
    if (format == null) {
      return new EventTime("", ISO, zone);
    }
    if (format.isBlank()) {
      throw new IllegalArgumentException("a time format cannot be empty");
    }
    return new EventTime(format, format.equals(EPOCH) ? ISO : pattern(format), zone);
  }

  Instant parse(FieldValue value) throws RefusedRowException {
    String text = value.scalar();
    if (value.kind() == FieldValue.Kind.BOOLEAN) {
      throw new RefusedRowException("is " + text + ", not a time");
    }
    boolean epoch =
        format.equals(EPOCH) || (format.isEmpty() && value.kind() == FieldValue.Kind.NUMBER);
    Instant instant = epoch ? sinceEpoch(text) : formatted(text);
    if (instant.isBefore(EARLIEST) || !instant.isBefore(END)) {
      throw new RefusedRowException(Quoted.of(text) + " is outside the years 1 to 9999");
    }
    return instant.truncatedTo(ChronoUnit.MICROS);
  }

  private static Instant sinceEpoch(String text) throws RefusedRowException {
    if (!isInteger(text)) {
      throw new RefusedRowException(
          Quoted.of(text) + " is not a whole number of seconds or milliseconds");
    }
    long number;
    try {
      number = Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new RefusedRowException(Quoted.of(text) + " is outside the years 1 to 9999");
    }
    boolean milliseconds = number >= FIRST_MILLISECONDS || number <= -FIRST_MILLISECONDS;
    return milliseconds ? Instant.ofEpochMilli(number) : Instant.ofEpochSecond(number);
  }

  private static boolean isInteger(String text) {
    int from = text.startsWith("-") ? 1 : 0;
    return text.length() > from && text.chars().skip(from).allMatch(c -> c >= '0' && c <= '9');
  }

  private Instant formatted(String text) throws RefusedRowException {
    if (format.isEmpty() && isInteger(text)) {
      throw new RefusedRowException(
          Quoted.of(text) + " is only digits, a date or a count: a time format must say which");
    }
    try {
      TemporalAccessor parsed = formatter.parse(format.isEmpty() ? withT(text) : text);
      return zone.instant(parsed);
    } catch (DateTimeParseException e) {
      String wanted = format.isEmpty() ? "an ISO-8601 time" : "a time like " + Quoted.of(format);
      throw new RefusedRowException(Quoted.of(text) + " is not " + wanted + ": " + problem(e));
    } catch (DateTimeException e) {
      throw new RefusedRowException(Quoted.of(text) + " " + e.getMessage());
    }
  }

  /** What SQL prints, a space between date and time, is read like the T of ISO-8601. */
  private static String withT(String text) {
    boolean space = text.length() > 11 && text.charAt(10) == ' ';
    return space ? text.substring(0, 10) + 'T' + text.substring(11) : text;
  }

  private static String problem(DateTimeParseException e) {
    return e.getCause() instanceof DateTimeException cause
        ? String.valueOf(cause.getMessage())
        : "it differs at character " + (e.getErrorIndex() + 1);
  }

  private static DateTimeFormatter pattern(String format) {
    return new DateTimeFormatterBuilder()
        .parseCaseInsensitive()
        .appendPattern(withoutYearOfEra(format))
        .toFormatter(Locale.ROOT)
        .withResolverStyle(ResolverStyle.STRICT);
  }

  /** Strict parsing has no year when a pattern says y without an era, though everyone means u. */
  private static String withoutYearOfEra(String format) {
    StringBuilder pattern = new StringBuilder(format.length());
    boolean literal = false;
    for (int i = 0; i < format.length(); i++) {
      char c = format.charAt(i);
      literal ^= c == '\'';
      if (c == 'G' && !literal) {
        return format;
      }
      pattern.append(c == 'y' && !literal ? 'u' : c);
    }
    return pattern.toString();
  }
}
