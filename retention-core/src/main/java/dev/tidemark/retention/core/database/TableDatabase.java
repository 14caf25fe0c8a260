package dev.tidemark.retention.core.database;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The event tables of a database. Every call borrows a connection. Thread-safe. */
public interface TableDatabase {
  /**
   * The names of the policies that are enabled; first those that waited longest. Writes down the
   * names that the tables of all policies have by now: {@code queen.table_names_v1}.
   */
  List<String> enabledPolicies();

  /**
   * Lets a policy delete for some time: {@code queen.table_retention_run_v1}. Every batch of it
   * commits by itself.
   *
   * @param time when no further batch begins
   * @param claim what the work runs under, asked for before every batch; {@code null} = none
   * @throws DatabaseException when the call itself failed; a failure of the table is in the answer
   */
  TableRun run(String policy, Duration time, @Nullable Claim claim);

  /**
   * Writes down that a call of {@link #run} failed as a whole, which it could not do itself: {@code
   * queen.table_run_note_v1}.
   *
   * @param started when the call began
   */
  void noteFailure(String policy, Instant started, StepFailedException failure);
}
