package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.history.Histories;
import dev.tidemark.retention.it.history.HistoryAction;
import dev.tidemark.retention.it.history.Tally;
import dev.tidemark.retention.it.history.World;
import dev.tidemark.retention.it.suite.Depth;
import dev.tidemark.retention.it.suite.Law;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** A database and a model of it agree, whatever happens, and after each thing that happens. */
public class HistoryLaws {
  private static final int LONGEST = Depth.of(30, 60);

  /** What each law's histories have to come to, in whatever run. */
  private static final Map<String, List<String>> REACHED =
      Map.of(
          "stepsTakeWhatTheRulesSay",
          List.of("Step deleted by retention", "Step deleted nothing", "Purge purged"),
          "groupsReadWhatIsThereOnce",
          List.of("Pop popped", "AckUpTo acked", "AckUpTo not acked"),
          "aCycleDoesWhatTheWindowsSay",
          List.of("Cycle swept", "Cycle swept nothing"),
          "aSilentPartitionGoesUnlessSomethingKeepsIt",
          List.of("Cleanup cleaned", "Cleanup cleaned nothing", "Cleanup dead", "Cleanup alive"),
          "whatHardlyHappensByChanceIsAsTheModelSays",
          List.of(
              "AckByHash acked",
              "AckByHash not acked",
              "DeleteGroup deleted",
              "Drain deleted by completed_retention",
              "Drain deleted by retention",
              "Drain refused",
              "Evict deleted by max_wait_time_eviction",
              "PushAgain duplicate",
              "RolledBack deleted by retention",
              "Step deleted by completed_retention",
              "Transact committed",
              "Transact notacked"));

  private static final Map<String, Tally> TALLIES = new ConcurrentHashMap<>();

  private static TestDatabase database;
  private static Sql sql;
  private static DataSource pool;

  @BeforeContainer
  static void open() {
    database = Target.open();
    sql = database.connect();
    pool = database.pool();
  }

  /** Histories in which an action never does its work would show nothing of it. */
  @AfterContainer
  static void close() {
    database.close();
    TALLIES.forEach(
        (law, tally) ->
            assertThat(tally.missing(REACHED.getOrDefault(law, List.of())))
                .as("what the histories of %s never reached, of %s", law, tally)
                .isEmpty());
  }

  private static void run(String law, List<HistoryAction> history) {
    World.run(sql, pool, history, TALLIES.computeIfAbsent(law, l -> new Tally()));
  }

  @Law(tries = 30, atLength = 1_000)
  void theDatabaseDoesWhatTheModelDoes(@ForAll("anything") List<HistoryAction> history) {
    run("theDatabaseDoesWhatTheModelDoes", history);
  }

  @Law(tries = 40, atLength = 1_000)
  void stepsTakeWhatTheRulesSay(@ForAll("steps") List<HistoryAction> history) {
    run("stepsTakeWhatTheRulesSay", history);
  }

  @Law(tries = 40, atLength = 1_000)
  void groupsReadWhatIsThereOnce(@ForAll("reading") List<HistoryAction> history) {
    run("groupsReadWhatIsThereOnce", history);
  }

  @Law(tries = 40, atLength = 1_000)
  void aSilentPartitionGoesUnlessSomethingKeepsIt(@ForAll("silence") List<HistoryAction> history) {
    run("aSilentPartitionGoesUnlessSomethingKeepsIt", history);
  }

  @Law(tries = 20, atLength = 500)
  void aCycleDoesWhatTheWindowsSay(@ForAll("cycles") List<HistoryAction> history) {
    run("aCycleDoesWhatTheWindowsSay", history);
  }

  @Law(tries = 20, atLength = 500)
  void aWalkMendsWatermarksThatAreWrong(@ForAll("tears") List<HistoryAction> history) {
    run("aWalkMendsWatermarksThatAreWrong", history);
  }

  @Law(tries = 8, atLength = 8)
  void whatHardlyHappensByChanceIsAsTheModelSays(@ForAll("rare") List<HistoryAction> history) {
    run("whatHardlyHappensByChanceIsAsTheModelSays", history);
  }

  @Provide
  Arbitrary<List<HistoryAction>> rare() {
    return Histories.ofRareThings();
  }

  @Provide
  Arbitrary<List<HistoryAction>> anything() {
    return Histories.any(LONGEST);
  }

  @Provide
  Arbitrary<List<HistoryAction>> steps() {
    return Histories.ofSteps(LONGEST / 2);
  }

  @Provide
  Arbitrary<List<HistoryAction>> reading() {
    return Histories.ofReading(LONGEST / 2);
  }

  @Provide
  Arbitrary<List<HistoryAction>> cycles() {
    return Histories.ofCycles();
  }

  @Provide
  Arbitrary<List<HistoryAction>> tears() {
    return Histories.ofTears();
  }

  @Provide
  Arbitrary<List<HistoryAction>> silence() {
    return Histories.ofSilence();
  }
}
