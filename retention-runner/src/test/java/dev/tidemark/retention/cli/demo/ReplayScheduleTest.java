package dev.tidemark.retention.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.cli.demo.ReplaySchedule.Due;
import dev.tidemark.retention.cli.events.PackedEvents;
import dev.tidemark.retention.cli.events.PackedPartition;
import dev.tidemark.retention.cli.events.PackedSegment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReplayScheduleTest {
  private static final Duration TEN = Duration.ofSeconds(10);

  @Test
  void theSpanOfTheFileBecomesTheSpanOfTheReplay() {
    ReplaySchedule schedule =
        ReplaySchedule.of(
            events(
                partition("a", "2001-01-01T00:00:00Z", "2001-01-01T06:00:00Z"),
                partition("b", "2001-01-01T03:00:00Z", "2001-01-01T12:00:00Z")),
            TEN);

    assertThat(schedule.due())
        .extracting(d -> d.partition() + " " + d.at().toMillis())
        .containsExactly("a 0", "b 2500", "a 5000", "b 10000");
  }

  @Test
  void eventsOfOneMomentAreAllDueAtOnceInTheOrderOfTheFile() {
    String moment = "2001-01-01T00:00:00Z";
    PackedEvents events = events(partition("a", moment, moment, moment));

    List<Due> due = ReplaySchedule.of(events, TEN).due();

    assertThat(due).extracting(Due::at).containsOnly(Duration.ZERO);
    assertThat(due)
        .extracting(Due::segment)
        .containsExactlyElementsOf(events.partitions().get(0).segments());
  }

  @Test
  void aSpanOfAllTheYearsThereAreStillFits() {
    List<Due> due =
        ReplaySchedule.of(
                events(
                    partition(
                        "a",
                        "0001-01-01T00:00:00Z",
                        "5000-07-02T12:00:00Z",
                        "9999-12-31T23:59:59Z")),
                TEN)
            .due();

    assertThat(due.get(1).at()).isBetween(Duration.ofMillis(4990), Duration.ofMillis(5010));
    assertThat(due.get(2).at()).isEqualTo(TEN);
  }

  @Test
  void splitKeepsAPartitionTogetherAndInOrderAndLosesNothing() {
    ReplaySchedule whole =
        ReplaySchedule.of(
            events(
                partition("a", "2001-01-01T00:00:00Z", "2001-01-04T00:00:00Z"),
                partition("b", "2001-01-02T00:00:00Z", "2001-01-03T00:00:00Z"),
                partition("c", "2001-01-01T00:00:00Z"),
                partition("d", "2001-01-02T00:00:00Z")),
            TEN);

    List<ReplaySchedule> parts = whole.split(3);

    assertThat(parts).hasSize(3);
    assertThat(parts.stream().flatMap(p -> p.due().stream()))
        .containsExactlyInAnyOrderElementsOf(whole.due());
    List<Set<String>> names =
        parts.stream()
            .map(p -> p.due().stream().map(Due::partition).collect(Collectors.toSet()))
            .toList();
    assertThat(names).containsExactly(Set.of("a", "d"), Set.of("b"), Set.of("c"));
    assertThat(parts).allSatisfy(p -> assertThat(p.due()).extracting(Due::at).isSorted());
  }

  @Test
  void aFileWithoutEventsIsDueNever() {
    assertThat(ReplaySchedule.of(events(), TEN).due()).isEmpty();
  }

  private static PackedEvents events(PackedPartition... partitions) {
    return new PackedEvents(List.of(partitions));
  }

  private static PackedPartition partition(String name, String... times) {
    return new PackedPartition(
        name,
        Stream.of(times)
            .map(t -> new PackedSegment(Instant.parse(t), 1, new byte[16], new byte[0]))
            .toList());
  }
}
