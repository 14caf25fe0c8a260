package dev.tidemark.retention.it.table;

import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;

/** How a column tells the time of an event, and what that says of the window: all without SQL. */
public enum EventClock {
  TIMESTAMPTZ("timestamptz", "timestamptz", null, "2020-03-01T00:00:00Z"),
  /** At 01:00 UTC, 03:00 became 02:00. */
  TIMESTAMP("timestamp", "timestamp", "Europe/Berlin", "2020-10-25T01:00:00Z"),
  /** Half an hour, the other hemisphere. */
  TIMESTAMP_HALF("timestamp", "timestamp", "Australia/Lord_Howe", "2020-04-04T15:00:00Z"),
  TIMESTAMP_UTC("timestamp", "timestamp", "UTC", "2020-03-01T00:00:00Z"),
  /** At 00:01, the clock went back to 23:01 of the day before. */
  DATE("date", "date", "America/St_Johns", "2005-10-30T02:31:00Z"),
  DATE_AHEAD("date", "date", "Pacific/Kiritimati", "2020-03-01T10:00:00Z"),
  EPOCH_S("epoch_s", "int", null, "2020-03-01T00:00:00Z"),
  EPOCH_MS("epoch_ms", "bigint", null, "2020-03-01T00:00:00Z"),
  EPOCH_US("epoch_us", "bigint", null, "2020-03-01T00:00:00Z"),
  /** Before 1970, where rounding down is away from zero. */
  EPOCH_NS("epoch_ns", "numeric", null, "1969-12-31T12:00:00Z"),
  UUIDV7("uuidv7", "uuid", null, "2020-03-01T00:00:00Z");

  private static final HexFormat HEX = HexFormat.of();

  private final String kind;
  private final String type;
  private final String zone;
  private final Instant around;

  EventClock(String kind, String type, String zone, String around) {
    this.kind = kind;
    this.type = type;
    this.zone = zone;
    this.around = Instant.parse(around);
  }

  public String kind() {
    return kind;
  }

  public String type() {
    return type;
  }

  /** Or null. */
  public String zone() {
    return zone;
  }

  /** A moment at which something may go wrong. */
  public Instant around() {
    return around;
  }

  /** What the column holds of an event at {@code at}. */
  public String value(Instant at, int n) {
    return switch (kind) {
      case "timestamptz" -> at.toString();
      case "timestamp" -> LocalDateTime.ofInstant(at, ZoneId.of(zone)).toString();
      case "date" -> LocalDate.ofInstant(at, ZoneId.of(zone)).toString();
      case "epoch_s", "epoch_ms", "epoch_us", "epoch_ns" -> units(at).toString();
      default ->
          // Of the bits that are random, half are ones.
          "%s7%03x%s%015x"
              .formatted(HEX.toHexDigits(at.toEpochMilli(), 12), n % 4096, "89ab".charAt(n % 4), n);
    };
  }

  /** Whether an event with this value may be one at the cutoff or after: then it has to stay. */
  public boolean mayBeInside(Instant at, Instant cutoff) {
    return switch (kind) {
      case "timestamptz" -> !at.isBefore(cutoff);
      case "timestamp", "date" -> !latest(at).isBefore(cutoff);
      case "uuidv7" -> at.toEpochMilli() >= cutoff.toEpochMilli();
      default -> units(at).compareTo(units(cutoff)) >= 0;
    };
  }

  /** Whether it has to be gone once nothing is left to do. */
  public boolean isOutside(Instant at, Instant cutoff) {
    if (zone == null || !isTwofold(cutoff)) {
      return !mayBeInside(at, cutoff);
    }
    // While a time of day comes twice, the bound is up to a day earlier than it had to be.
    return latest(at).isBefore(cutoff.minus(1, ChronoUnit.DAYS).minus(2, ChronoUnit.HOURS));
  }

  private boolean isTwofold(Instant at) {
    ZoneId place = ZoneId.of(zone);
    return place.getRules().getValidOffsets(LocalDateTime.ofInstant(at, place)).size() > 1;
  }

  /** The last moment at which a clock in the zone shows what the column holds. */
  private Instant latest(Instant at) {
    ZoneId place = ZoneId.of(zone);
    LocalDateTime shown = LocalDateTime.ofInstant(at, place);
    if (kind.equals("date")) {
      shown = shown.toLocalDate().atTime(LocalTime.MAX.truncatedTo(ChronoUnit.MICROS));
    }
    return ZonedDateTime.of(shown, place).withLaterOffsetAtOverlap().toInstant();
  }

  private BigInteger units(Instant at) {
    BigInteger nanos =
        BigInteger.valueOf(at.getEpochSecond())
            .multiply(BigInteger.valueOf(1_000_000_000))
            .add(BigInteger.valueOf(at.getNano()));
    BigInteger unit =
        BigInteger.TEN.pow(
            switch (kind) {
              case "epoch_s" -> 9;
              case "epoch_ms" -> 6;
              case "epoch_us" -> 3;
              default -> 0;
            });
    BigInteger[] parts = nanos.divideAndRemainder(unit);
    return parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
  }
}
