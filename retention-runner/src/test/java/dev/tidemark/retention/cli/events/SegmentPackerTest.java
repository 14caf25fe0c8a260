package dev.tidemark.retention.cli.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SegmentPackerTest {

  private static final Instant START = Instant.parse("2001-01-01T00:00:00Z");

  private static Event event(long row, String partition, long second) {
    return new Event(
        new RowPlace(row, row, false), partition, START.plusSeconds(second), "{\"n\":" + row + "}");
  }

  private static List<String> messages(PackedSegment segment) {
    return FrameCodec.decode(segment.blob()).stream()
        .map(frame -> new String(frame, StandardCharsets.UTF_8))
        .toList();
  }

  private static PackedPartition only(PackedEvents packed) {
    assertThat(packed.partitions()).hasSize(1);
    return packed.partitions().get(0);
  }

  @Test
  void consecutiveMessagesShareASegmentAndTheLastOneIsShorter() {
    List<Event> events = IntStream.rangeClosed(1, 7).mapToObj(i -> event(i, "a", i)).toList();

    List<PackedSegment> segments = only(new SegmentPacker(3).pack(events)).segments();

    assertThat(segments).extracting(PackedSegment::messageCount).containsExactly(3, 3, 1);
    assertThat(segments)
        .extracting(SegmentPackerTest::messages)
        .containsExactly(
            List.of("{\"n\":1}", "{\"n\":2}", "{\"n\":3}"),
            List.of("{\"n\":4}", "{\"n\":5}", "{\"n\":6}"),
            List.of("{\"n\":7}"));
  }

  @Test
  void aSegmentHasTheTimeOfItsLastMessage() {
    List<Event> events = List.of(event(1, "a", 30), event(2, "a", 10), event(3, "a", 20));

    List<PackedSegment> segments = only(new SegmentPacker(2).pack(events)).segments();

    assertThat(segments)
        .extracting(PackedSegment::createdAt)
        .containsExactly(START.plusSeconds(20), START.plusSeconds(30));
    assertThat(messages(segments.get(0))).containsExactly("{\"n\":2}", "{\"n\":3}");
  }

  @Test
  void eventsOfTheSameTimeKeepTheOrderOfTheFile() {
    List<Event> events =
        List.of(
            event(1, "a", 5),
            event(2, "b", 1),
            event(3, "a", 1),
            event(4, "a", 5),
            event(5, "a", 1),
            event(6, "a", 5));

    PackedEvents packed = new SegmentPacker(10).pack(events);

    assertThat(packed.partitions()).extracting(PackedPartition::name).containsExactly("a", "b");
    assertThat(messages(packed.partitions().get(0).segments().get(0)))
        .containsExactly("{\"n\":3}", "{\"n\":5}", "{\"n\":1}", "{\"n\":4}", "{\"n\":6}");
  }

  @Test
  void aSegmentMayHoldOneMessage() {
    List<Event> events = IntStream.rangeClosed(1, 3).mapToObj(i -> event(i, "a", i)).toList();

    assertThat(only(new SegmentPacker(1).pack(events)).segments())
        .extracting(SegmentPackerTest::messages)
        .containsExactly(List.of("{\"n\":1}"), List.of("{\"n\":2}"), List.of("{\"n\":3}"));
  }

  @Test
  void hashesFollowTheFramesAndTellRepeatedRowsApart() {
    Event late = new Event(new RowPlace(1, 1, false), "a", START.plusSeconds(1), "{}");
    Event early = new Event(new RowPlace(2, 2, false), "a", START, "{}");

    byte[] hashes =
        only(new SegmentPacker(10).pack(List.of(late, early))).segments().get(0).hashes();

    byte[] frame = "{}".getBytes(StandardCharsets.UTF_8);
    assertThat(hashes).hasSize(32);
    assertThat(Arrays.copyOfRange(hashes, 0, 16)).isEqualTo(MessageHash.of("a", 2, frame));
    assertThat(Arrays.copyOfRange(hashes, 16, 32)).isEqualTo(MessageHash.of("a", 1, frame));
  }

  @Test
  void partitionsComeInTheOrderOfTheirNames() {
    PackedEvents packed =
        new SegmentPacker(10).pack(List.of(event(1, "b", 1), event(2, "C", 2), event(3, "a", 3)));

    assertThat(packed.partitions())
        .extracting(PackedPartition::name)
        .containsExactly("C", "a", "b");
    assertThat(packed.messageCount()).isEqualTo(3);
  }

  @Test
  void noEventsMakeNoPartitions() {
    PackedEvents packed = new SegmentPacker(10).pack(List.of());

    assertThat(packed.partitions()).isEmpty();
    assertThat(packed.newest()).isEmpty();
    assertThat(packed.endingAt(START)).isEqualTo(packed);
  }

  @Test
  void aShiftMovesEverySegmentByTheSameSpan() {
    PackedEvents packed =
        new SegmentPacker(1).pack(List.of(event(1, "b", 40), event(2, "a", 10), event(3, "a", 25)));
    Instant now = Instant.parse("2031-05-06T07:08:09.123456Z");

    PackedEvents shifted = packed.endingAt(now);

    assertThat(packed.newest()).contains(START.plusSeconds(40));
    assertThat(shifted.newest()).contains(now);
    assertThat(shifted.partitions().get(0).segments())
        .extracting(PackedSegment::createdAt)
        .containsExactly(now.minusSeconds(30), now.minusSeconds(15));
    assertThat(messages(shifted.partitions().get(1).segments().get(0)))
        .containsExactly("{\"n\":1}");
  }

  @Test
  void aShiftIntoThePastIsAShiftToo() {
    Instant past = Instant.parse("1999-01-01T00:00:00Z");

    assertThat(new SegmentPacker(1).pack(List.of(event(1, "a", 0))).endingAt(past).newest())
        .contains(past);
  }

  @Test
  void messagesASegmentHaveARange() {
    for (int number : new int[] {0, -1, Integer.MIN_VALUE, 100_001, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> new SegmentPacker(number))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("messages a segment must be 1 to 100000, not " + number);
    }
  }
}
