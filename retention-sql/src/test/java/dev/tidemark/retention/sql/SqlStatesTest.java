package dev.tidemark.retention.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.core.database.DatabaseException;
import dev.tidemark.retention.core.database.DatabaseUnavailableException;
import dev.tidemark.retention.core.database.InvalidArgumentException;
import dev.tidemark.retention.core.database.NotFoundException;
import dev.tidemark.retention.core.database.StepFailedException;
import dev.tidemark.retention.core.database.TimedOutException;
import dev.tidemark.retention.core.database.UnfitSessionException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jooq.exception.DataAccessException;
import org.junit.jupiter.api.Test;

/** The table of SQLSTATEs; GatewayIT meets most of them on a real server. */
class SqlStatesTest {
  private static final Map<Class<? extends DatabaseException>, List<String>> STATES =
      Map.of(
          InvalidArgumentException.class, List.of("22023"),
          NotFoundException.class, List.of("TM003", "TM004"),
          TimedOutException.class, List.of("55P03", "57014"),
          UnfitSessionException.class, List.of("TM001", "TM002", "25006", "28P01", "3D000"),
          DatabaseUnavailableException.class,
              List.of(
                  "57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "08006", "08001", "08003",
                  "53300", "53100", "58030"),
          StepFailedException.class,
              List.of(
                  "TM006", "42501", "42883", "42P01", "3F000", "P0001", "40P01", "40001", "23503",
                  "22003", "XX000", "22P02"));

  @Test
  void everyStateHasItsException() {
    STATES.forEach(
        (type, states) -> {
          for (String state : states) {
            assertThat(SqlStates.translate(new SQLException("m", state)))
                .as(state)
                .isExactlyInstanceOf(type)
                .extracting(DatabaseException::sqlState)
                .isEqualTo(state);
          }
        });
  }

  @Test
  void whatCarriesNoStateConcernsTheStepAlone() {
    assertThat(SqlStates.translate(new SQLException("m")).sqlState()).isEqualTo("XX000");
    assertThat(SqlStates.translate(new DataAccessException("m")))
        .isExactlyInstanceOf(StepFailedException.class);
  }

  @Test
  void aClosedConnectionIsGoneThoughItsPoolGivesNoState() {
    assertThat(SqlStates.translate(new SQLException("Connection is closed")))
        .isExactlyInstanceOf(DatabaseUnavailableException.class)
        .extracting(DatabaseException::sqlState)
        .isEqualTo("08003");
  }

  @Test
  void theCauseOfAWrappedFailureDecides() {
    assertThat(SqlStates.translate(new DataAccessException("sql", new SQLException("m", "55P03"))))
        .isInstanceOf(TimedOutException.class)
        .hasMessage("m");
  }

  @Test
  void aBatchThatWasAbortedSaysWhatAbortedIt() {
    BatchUpdateException batch =
        new BatchUpdateException("Batch entry 1 was aborted", "57P01", null);
    batch.setNextException(new SQLException("FATAL: shutting down", "57P01"));
    assertThat(SqlStates.translate(batch))
        .isInstanceOf(DatabaseUnavailableException.class)
        .hasMessage("FATAL: shutting down");
  }

  @Test
  void aMessageIsItsFirstLineWithoutTheServersLabel() {
    assertThat(
            SqlStates.translate(
                new SQLException("ERROR: lost\n  Where: PL/pgSQL function f", "P0001")))
        .hasMessage("lost");
    assertThat(SqlStates.translate(new SQLException(null, "P0001"))).hasMessage("no message");
  }
}
