package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.it.support.TestLog;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where rule 2 ends: at the slowest cursor, and never inside a segment. */
public class ConsumptionLaws {
  private static final String QUEUE = "consumption";

  private static TestDatabase database;
  private static Sql sql;
  private static TestLog log;

  private UUID partition;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
    log = new TestLog(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void twoOldSegmentsOfThreeMessages() {
    partition = log.partition(QUEUE, UUID.randomUUID().toString());
    log.append(partition, log.ago(Duration.ofDays(3)), 3);
    log.append(partition, log.ago(Duration.ofDays(2)), 3);
  }

  @ParameterizedTest
  @CsvSource({"-1, 0", "1, 0", "2, 3", "3, 3", "4, 3", "5, 6"})
  void aSegmentGoesOnceItsLastMessageIsCommitted(long committed, long logStart) {
    log.commit(partition, "g", committed);
    assertThat(logStartAfterAStep()).isEqualTo(logStart);
  }

  @Test
  void theSlowestOfSeveralGroupsDecides() {
    log.commit(partition, "fast", 5);
    log.commit(partition, "slow", 2);
    log.commit(partition, "__QUEUE_MODE__", 4);
    assertThat(logStartAfterAStep()).isEqualTo(3);
  }

  @Test
  void theDefaultGroupCountsLikeAnyOther() {
    log.commit(partition, "fast", 5);
    log.commit(partition, "__QUEUE_MODE__", 1);
    assertThat(logStartAfterAStep()).isZero();
  }

  @Test
  void withoutACursorNothingIsConsumed() {
    assertThat(logStartAfterAStep()).isZero();
  }

  @Test
  void aGroupThatIsDeletedTakesNoOtherWithIt() {
    log.commit(partition, "gone", 5);
    log.commit(partition, "slow", 2);
    sql.json("select queen.log_group_delete_v1(p_queue => ?, p_group => 'gone')", QUEUE);
    assertThat(
            sql.column(
                "select consumer_group from queen.log_consumers where partition_id = ?", partition))
        .containsExactly("slow");
  }

  /**
   * Age takes the first segment; a cursor that is further than that, also inside the second, is
   * named where the second is too old for rule 2 as well.
   */
  @ParameterizedTest
  @CsvSource({
    "-1, 1, retention, 3",
    "1, 1, retention, 3",
    "2, 1, retention, 3",
    "3, 1, completed_retention, 3",
    "4, 1, completed_retention, 3",
    "5, 1, completed_retention, 6",
    "4, 50, retention, 3",
    "5, 50, retention, 3"
  })
  void theRuleThatReachesFurtherIsNamed(long committed, int hours, String rule, long logStart) {
    log.commit(partition, "g", committed);
    JsonNode step =
        log.retentionStep(
            partition, log.ago(Duration.ofHours(60)), log.ago(Duration.ofHours(hours)), 1000);
    assertThat(step.get("retention_type").asText()).isEqualTo(rule);
    assertThat(step.get("new_log_start").asLong()).isEqualTo(logStart);
  }

  private long logStartAfterAStep() {
    log.retentionStep(partition, null, log.ago(Duration.ofHours(1)), 1000);
    long logStart = log.row(partition).logStart();
    assertThat(log.segments(partition))
        .allSatisfy(segment -> assertThat(segment.base()).isGreaterThanOrEqualTo(logStart))
        .hasSize((int) (6 - logStart) / 3);
    return logStart;
  }
}
