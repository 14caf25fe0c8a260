package dev.tidemark.retention.it.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The worked example of docs/event-tables.md on the real file, which the property {@code
 * tidemark.flights} names. What has to go is computed here from the file alone.
 */
class FlightsTableIT {
  private static final Duration WINDOW = Duration.ofDays(30);
  private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("yyyy/MM/dd HH:mm");

  private static String file;
  private static List<Instant> departures;
  private static TestDatabase database;

  @BeforeAll
  static void readTheFile() throws IOException {
    Path path = Path.of(System.getProperty("tidemark.flights", "flights-20k.json"));
    assumeTrue(
        Files.isReadable(path),
        "no file of flights at " + path + ": set the property tidemark.flights");
    file = Files.readString(path);
    departures = new ArrayList<>();
    for (JsonNode flight : new ObjectMapper().readTree(file)) {
      departures.add(
          LocalDateTime.parse(flight.get("date").asText(), FORMAT).toInstant(ZoneOffset.UTC));
    }
    database = TestDatabase.migrated();
  }

  @AfterAll
  static void close() {
    if (database != null) {
      database.close();
    }
  }

  @Test
  void aRunLeavesExactlyTheFlightsOfTheWindow() {
    Sql sql = database.connect();
    sql.run("set timezone = 'UTC'");
    sql.run("create table flights (departed timestamptz not null, origin text, moved interval)");
    sql.run("create index on flights (departed)");
    sql.run(
        """
        with file as (
            select f.origin, to_timestamp(f.date, 'YYYY/MM/DD HH24:MI') as at
              from jsonb_to_recordset(?::jsonb) f(date text, origin text)
        ), shift as (select now() - max(at) as by from file)
        insert into flights select f.at + s.by, f.origin, s.by from file f, shift s
        """,
        file);
    Cli cli = new Cli("--jdbc-url", database.url());
    cli.json("table", "add", "flights", "--column", "departed", "--keep", "30 days");
    long planned = cli.json("table", "plan", "flights").get("rows").asLong();

    JsonNode ran = cli.json("table", "run", "flights");

    Instant cutoff =
        sql.<Instant>value("select max(cutoff) from queen.table_history").minus(moved(sql));
    List<Instant> inside = departures.stream().filter(at -> !at.isBefore(cutoff)).sorted().toList();
    assertThat(sql.column("select departed - moved from flights order by departed"))
        .isEqualTo(List.<Object>copyOf(inside));
    assertThat(ran.get("deleted").asLong())
        .isEqualTo(departures.size() - inside.size())
        .isGreaterThanOrEqualTo(planned)
        .isGreaterThan(13_000);
    assertThat(Duration.between(cutoff, departures.stream().max(Instant::compareTo).orElseThrow()))
        .isLessThanOrEqualTo(WINDOW);
  }

  private static Duration moved(Sql sql) {
    return Duration.ofNanos(
        sql.number("select (extract(epoch from max(moved)) * 1000000)::bigint from flights")
            * 1_000);
  }
}
