package dev.tidemark.retention.it.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The worked example of docs/examples/flights.md on the real file, which the property {@code
 * tidemark.flights} names. What has to go is computed here from the file alone.
 */
class FlightsIT {
  private static final int SEGMENT_MESSAGES = 10;
  private static final int WINDOW_SECONDS = 2_592_480;
  private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("yyyy/MM/dd HH:mm");
  private static final ObjectMapper JSON = new ObjectMapper();

  private static Path file;
  private static List<Flight> flights;

  @TempDir private Path directory;
  private Cli cli;

  @BeforeAll
  static void readTheFile() throws IOException {
    file = Path.of(System.getProperty("tidemark.flights", "flights-20k.json"));
    assumeTrue(
        Files.isReadable(file),
        "no file of flights at " + file + ": set the property tidemark.flights");
    flights = new ArrayList<>();
    for (JsonNode row : JSON.readTree(file.toFile())) {
      Instant at = LocalDateTime.parse(row.get("date").asText(), FORMAT).toInstant(ZoneOffset.UTC);
      flights.add(new Flight(row.get("origin").asText(), at, row));
    }
  }

  @BeforeEach
  void anEmbeddedDatabase() {
    cli = new Cli("--embedded", directory.resolve("data").toString());
  }

  @Test
  void oneCycleDeletesExactlyTheWholeSegmentsWhoseLastFlightIsOlderThanTheCutoff() {
    JsonNode imported = importFlights();
    Duration shift = shift(imported);
    assertThat(imported.get("messages").asLong()).isEqualTo(flights.size());
    assertThat(imported.get("segments").asLong())
        .isEqualTo(segments().values().stream().mapToLong(List::size).sum());
    cli.json("configure", "flights", "retentionEnabled=true", "retentionSeconds=" + WINDOW_SECONDS);

    JsonNode swept = cli.json("once");

    Instant cutoff = Instant.parse(swept.get("cutoffs").get(0).get("all").asText());
    assertThat(Duration.between(cutoff, Instant.parse(swept.get("listedAt").asText())))
        .isEqualTo(Duration.ofSeconds(WINDOW_SECONDS));
    List<Segment> gone =
        segments().values().stream()
            .flatMap(List::stream)
            .filter(s -> s.last().plus(shift).isBefore(cutoff))
            .toList();
    long messages = gone.stream().mapToLong(s -> s.flights().size()).sum();
    assertThat(gone).isNotEmpty();
    assertThat(swept.get("segments_deleted").asLong()).isEqualTo(gone.size());
    assertThat(swept.get("deleted")).hasSize(1);
    assertThat(swept.get("deleted").get(0).get("rule").asText()).isEqualTo("retention");
    assertThat(swept.get("deleted").get(0).get("messages").asLong()).isEqualTo(messages);
    assertThat(cli.json("status").get("queues").get(0).get("held").get("liveMessages").asLong())
        .isEqualTo(flights.size() - messages);

    JsonNode again = cli.json("once");
    assertThat(again.get("segments_deleted").asLong()).isZero();
    assertThat(again.get("deleted")).isEmpty();
  }

  @Test
  void withTheCompletedWindowAloneExactlyTheOldSegmentsThatEveryGroupIsThroughGo() {
    Duration shift = shift(importFlights());
    cli.json(
        "configure",
        "flights",
        "retentionEnabled=true",
        "completedRetentionSeconds=" + WINDOW_SECONDS);
    assertThat(cli.json("once").get("segments_deleted").asLong())
        .as("nobody has consumed anything")
        .isZero();

    cli.json("group", "commit", "flights", "fast", "--fraction", "0.57");
    cli.json("group", "commit", "flights", "slow", "--fraction", "0.33");
    JsonNode swept = cli.json("once");

    Instant cutoff = Instant.parse(swept.get("cutoffs").get(0).get("completed").asText());
    long expected = 0;
    boolean midSegment = false;
    for (List<Segment> partition : segments().values()) {
      long live = partition.stream().mapToLong(s -> s.flights().size()).sum();
      long consumed = live * 33 / 100;
      midSegment |= consumed % SEGMENT_MESSAGES != 0;
      long end = 0;
      for (Segment segment : partition) {
        end += segment.flights().size();
        if (end <= consumed && segment.last().plus(shift).isBefore(cutoff)) {
          expected++;
        }
      }
    }
    assertThat(midSegment).as("a cursor stands inside a segment").isTrue();
    assertThat(expected).isPositive();
    assertThat(swept.get("segments_deleted").asLong()).isEqualTo(expected);
    assertThat(swept.get("deleted").get(0).get("rule").asText()).isEqualTo("completed_retention");
    assertThat(cli.json("once").get("segments_deleted").asLong()).isZero();
  }

  @Test
  void exportGivesBackTheRowsOfTheFileInOrder() {
    importFlights();

    JsonNode exported = cli.json("export", "flights");

    List<JsonNode> expected =
        segments().values().stream()
            .flatMap(List::stream)
            .flatMap(s -> s.flights().stream())
            .map(Flight::row)
            .toList();
    assertThat(exported).hasSize(expected.size());
    assertThat(exported).containsExactlyElementsOf(expected);
  }

  private JsonNode importFlights() {
    return cli.json(
        "import",
        file.toString(),
        "--queue",
        "flights",
        "--partition-field",
        "origin",
        "--time-field",
        "date",
        "--time-format",
        "yyyy/MM/dd HH:mm",
        "--segment-messages",
        String.valueOf(SEGMENT_MESSAGES),
        "--shift-to-now");
  }

  private static Duration shift(JsonNode imported) {
    Instant newest = flights.stream().map(Flight::at).max(Comparator.naturalOrder()).orElseThrow();
    return Duration.between(newest, Instant.parse(imported.get("newest").asText()));
  }

  /** By origin: sorted by time, ties in the order of the file, ten flights a segment. */
  private static Map<String, List<Segment>> segments() {
    Map<String, List<Flight>> byOrigin = new TreeMap<>();
    flights.forEach(f -> byOrigin.computeIfAbsent(f.origin(), o -> new ArrayList<>()).add(f));
    Map<String, List<Segment>> packed = new TreeMap<>();
    byOrigin.forEach(
        (origin, own) -> {
          own.sort(Comparator.comparing(Flight::at));
          List<Segment> segments = new ArrayList<>();
          for (int from = 0; from < own.size(); from += SEGMENT_MESSAGES) {
            segments.add(
                new Segment(own.subList(from, Math.min(own.size(), from + SEGMENT_MESSAGES))));
          }
          packed.put(origin, segments);
        });
    return packed;
  }

  private record Flight(String origin, Instant at, JsonNode row) {}

  private record Segment(List<Flight> flights) {
    Instant last() {
      return flights.get(flights.size() - 1).at();
    }
  }
}
