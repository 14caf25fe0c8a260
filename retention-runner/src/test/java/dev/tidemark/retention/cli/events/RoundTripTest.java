package dev.tidemark.retention.cli.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is unpacked is what the file held. */
class RoundTripTest {

  private static List<String> unpacked(PackedPartition partition) {
    return partition.segments().stream()
        .flatMap(segment -> FrameCodec.decode(segment.blob()).stream())
        .map(frame -> new String(frame, StandardCharsets.UTF_8))
        .toList();
  }

  /** The rows the file has for one partition, in the order an import must give them. */
  private static List<String> expected(List<Event> events, String partition) {
    return events.stream()
        .filter(event -> event.partition().equals(partition))
        .sorted(Comparator.comparing(Event::time))
        .map(Event::json)
        .toList();
  }

  private static void assertRoundTrip(List<Event> events, int segmentMessages) {
    PackedEvents packed = new SegmentPacker(segmentMessages).pack(events);

    assertThat(packed.partitions())
        .extracting(PackedPartition::name)
        .containsExactlyElementsOf(
            events.stream().map(Event::partition).collect(Collectors.toCollection(TreeSet::new)));
    Set<String> hashes = new HashSet<>();
    for (PackedPartition partition : packed.partitions()) {
      assertThat(unpacked(partition)).isEqualTo(expected(events, partition.name()));
      Instant last = Instant.MIN;
      for (PackedSegment segment : partition.segments()) {
        assertThat(segment.createdAt()).isAfterOrEqualTo(last);
        last = segment.createdAt();
        for (int i = 0; i < segment.messageCount(); i++) {
          hashes.add(Arrays.toString(Arrays.copyOfRange(segment.hashes(), i * 16, i * 16 + 16)));
        }
      }
    }
    assertThat(hashes).hasSize(events.size());
    assertThat(packed.messageCount()).isEqualTo(events.size());
  }

  @Test
  void theThreeFormatsOfTheSameRowsGiveTheSameMessages() throws IOException {
    Random random = new Random(11);
    List<String> objects = new ArrayList<>();
    StringBuilder csv = new StringBuilder("p,t,\"x\"\"y\"\r\n");
    for (int i = 0; i < 500; i++) {
      String partition = "p\u00e9" + random.nextInt(5);
      String time = "2001-01-0" + (1 + random.nextInt(9));
      String text = "a,\"b\"\n\uD83D\uDE00" + random.nextInt(10);
      StringBuilder object =
          new StringBuilder("{\"p\":\"" + partition + "\",\"t\":\"" + time + "\",");
      object.append("\"x\\\"y\":");
      JsonText.appendString(object, text);
      objects.add(object.append('}').toString());
      csv.append(partition).append(',').append(time).append(",\"");
      csv.append(text.replace("\"", "\"\"")).append("\"\r\n");
    }

    List<EventRow> array = EventFiles.rows("[" + String.join(" ,\n", objects) + "]");
    List<EventRow> lines = EventFiles.rows(String.join("\n", objects));
    List<EventRow> records = EventFiles.rows(csv.toString());

    assertThat(EventFiles.json(array)).isEqualTo(objects);
    assertThat(EventFiles.json(lines)).isEqualTo(objects);
    assertThat(EventFiles.json(records)).isEqualTo(objects);
    for (int segmentMessages : new int[] {1, 3, 10, 100_000}) {
      assertRoundTrip(EventFiles.events(array), segmentMessages);
    }
  }

  @Test
  void whateverBytesAFileHoldsEveryRowIsAnEventOrHasAReason() throws IOException {
    Random random = new Random(13);
    String alphabet = "[]{}\",:\\\n\r \t1eptna.u0\u00e9\0-";
    String a = EventFiles.row("a", "\"n\":[1,{}],\"x\":\"" + "y".repeat(60) + "\"");
    String b = EventFiles.row("b", "\"n\":1.10,\"x\":\"" + "z".repeat(60) + "\"");
    byte[] sound = ("[" + a + ",\n" + b + ",\n" + a + "]\n").getBytes(StandardCharsets.UTF_8);
    int good = 0;
    int refused = 0;
    for (int round = 0; round < 5_000; round++) {
      byte[] content = sound.clone();
      int changes = 1 + random.nextInt(4);
      for (int i = 0; i < changes; i++) {
        content[random.nextInt(content.length)] =
            random.nextInt(8) == 0
                ? (byte) random.nextInt(256)
                : (byte) alphabet.charAt(random.nextInt(alphabet.length()));
      }
      String name = random.nextInt(4) == 0 ? "events.csv" : "events";
      int from = random.nextInt(3) == 0 ? 1 : 0;

      List<EventRow> rows =
          EventFiles.rows(name, Arrays.copyOfRange(content, from, content.length));

      for (EventRow row : rows) {
        if (row instanceof BadRow bad) {
          refused++;
          assertThat(bad.reason()).isNotBlank().hasSizeLessThan(500).doesNotContain("\n", "Source");
        }
      }
      good += EventFiles.events(rows).size();
      assertRoundTrip(EventFiles.events(rows), 2);
    }
    assertThat(good).isGreaterThan(1_000);
    assertThat(refused).isGreaterThan(1_000);
  }

  @Test
  void realFlightsComeBackByOriginAndDate() throws IOException {
    String property = System.getProperty("tidemark.flights", "");
    assumeThat(property).as("system property tidemark.flights").isNotEmpty();
    Path path = Path.of(property);
    assumeThat(Files.isRegularFile(path)).as("flights are read from %s", path).isTrue();
    EventTime eventTime = EventTime.of("yyyy/MM/dd HH:mm", ZoneOffset.UTC);

    List<EventRow> rows;
    try (EventFile file = EventFile.open(path, new EventFields("origin", "date"), eventTime)) {
      assertThat(file.format()).isEqualTo(FileFormat.JSON_ARRAY);
      rows = EventFiles.drain(file);
    }

    assertThat(EventFiles.bad(rows)).isEmpty();
    assertThat(rows).hasSize(20_000);
    assertThat("[" + String.join(",", EventFiles.json(rows)) + "]")
        .isEqualToIgnoringWhitespace(Files.readString(path));
    assertRoundTrip(EventFiles.events(rows), 10);
  }
}
