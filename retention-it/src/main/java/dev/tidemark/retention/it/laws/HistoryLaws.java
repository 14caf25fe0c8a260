package dev.tidemark.retention.it.laws;

import dev.tidemark.retention.it.history.Histories;
import dev.tidemark.retention.it.history.HistoryAction;
import dev.tidemark.retention.it.history.World;
import dev.tidemark.retention.it.suite.Depth;
import dev.tidemark.retention.it.suite.Law;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.util.List;
import javax.sql.DataSource;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** A database and a model of it agree, whatever happens, and after each thing that happens. */
public class HistoryLaws {
  private static final int LONGEST = Depth.of(30, 60);

  private static TestDatabase database;
  private static Sql sql;
  private static DataSource pool;

  @BeforeContainer
  static void open() {
    database = Target.open();
    sql = database.connect();
    pool = database.pool();
  }

  @AfterContainer
  static void close() {
    database.close();
  }

  @Law(tries = 30, atLength = 1_000)
  void theDatabaseDoesWhatTheModelDoes(@ForAll("anything") List<HistoryAction> history) {
    World.run(sql, pool, history);
  }

  @Law(tries = 40, atLength = 1_000)
  void stepsTakeWhatTheRulesSay(@ForAll("steps") List<HistoryAction> history) {
    World.run(sql, pool, history);
  }

  @Law(tries = 40, atLength = 1_000)
  void groupsReadWhatIsThereOnce(@ForAll("reading") List<HistoryAction> history) {
    World.run(sql, pool, history);
  }

  @Law(tries = 40, atLength = 1_000)
  void aSilentPartitionGoesUnlessSomethingKeepsIt(@ForAll("silence") List<HistoryAction> history) {
    World.run(sql, pool, history);
  }

  @Law(tries = 20, atLength = 500)
  void aCycleDoesWhatTheWindowsSay(@ForAll("cycles") List<HistoryAction> history) {
    World.run(sql, pool, history);
  }

  @Law(tries = 20, atLength = 500)
  void aWalkMendsWatermarksThatAreWrong(@ForAll("tears") List<HistoryAction> history) {
    World.run(sql, pool, history);
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
