package dev.tidemark.retention.it.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.retention.it.suite.Target;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Who may do what: every function runs with its caller's rights, and each role has its own part.
 */
public class GrantLaws {
  private static final String FUNCTIONS =
      "select p.proname from pg_proc p where p.pronamespace = 'queen'::regnamespace and ";

  private static TestDatabase database;
  private static Sql sql;

  @BeforeAll
  static void open() {
    database = Target.open();
    sql = database.connect();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @Test
  void noFunctionIsForEverybody() {
    assertThat(
            sql.column(
                FUNCTIONS
                    + "(p.proacl is null"
                    + " or exists (select 1 from aclexplode(p.proacl) a where a.grantee = 0))"))
        .isEmpty();
  }

  @Test
  void noFunctionLendsTheRightsOfItsOwner() {
    assertThat(sql.column(FUNCTIONS + "p.prosecdef")).isEmpty();
  }

  @Test
  void noTableIsForEverybody() {
    assertThat(
            sql.column(
                "select c.oid::regclass::text from pg_class c"
                    + " where c.relnamespace in ('queen'::regnamespace, 'queen_streams'::regnamespace)"
                    + " and (exists (select 1 from aclexplode(c.relacl) a where a.grantee = 0)"
                    + " or exists (select 1 from pg_attribute t, aclexplode(t.attacl) a"
                    + " where t.attrelid = c.oid and a.grantee = 0))"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "queen.log_segments, blob",
    "queen.log_txns, hashes",
    "queen.log_dlq, payload",
    "queen.message_traces, data",
    "queen_streams.state, value"
  })
  void whatAMessageSaysIsForTheBrokerAlone(String table, String column) {
    for (String role : List.of("queen_retention", "queen_reader")) {
      assertThat(
              sql.<Boolean>value(
                  "select has_column_privilege(?, ?, ?, 'select')", role, table, column))
          .as(role)
          .isFalse();
    }
  }

  /** All that may write, by role; a function that is new has to be given to somebody here. */
  @ParameterizedTest
  @CsvSource({
    "queen_broker, 'configure_queue_v1 delete_queue_v1 log_ack_by_hash_v1 log_ack_v1 log_append_v1"
        + " log_dlq_delete_v1 log_dlq_put_v1 log_group_delete_v1 log_import_v1 log_lease_batch_v1"
        + " log_partition_provision_v1 log_pop_v1 log_push_multi_v1 log_push_one_v1 log_seek_v1"
        + " log_transaction_wire_v1 require_step_context_v1'",
    "queen_retention, 'cleanup_worker_metrics_v1 lease_claim_v1 lease_enable_v1"
        + " lease_note_cycle_v1 lease_register_v1 lease_release_v1 lease_renew_v1"
        + " log_drain_step_v1 log_drain_v1 log_evict_max_wait_drain_v1 log_evict_max_wait_step_v1"
        + " log_history_roll_up_step_v1"
        + " log_partition_cleanup_step_v1 log_retention_drain_v1 log_retention_step_v1"
        + " log_txns_purge_drain_v1 log_txns_purge_step_v1 log_watermark_walk_step_v1"
        + " require_drain_v1 require_step_context_v1"
        + " table_delete_step_v1 table_leaf_batch_v1 table_leaf_hold_v1 table_leaf_step_v1"
        + " table_names_v1 table_open_v1"
        + " table_policy_enable_v1 table_policy_remove_v1 table_policy_set_v1 table_policy_write_v1 table_predicate_v1"
        + " table_retention_run_v1 table_run_note_v1 table_run_start_v1 table_run_step_v1 table_schedule_v1"
        + " table_unschedule_v1'",
    "queen_reader, ''"
  })
  void whatWritesIsForOneRole(String role, String functions) {
    assertThat(
            sql.<String>value(
                "select coalesce(string_agg(f.proname, ' ' order by f.proname collate \"C\"), '')"
                    + " from ("
                    + FUNCTIONS
                    + "p.provolatile = 'v' and has_function_privilege(?, p.oid, 'execute')) f",
                role))
        .isEqualTo(functions);
  }
}
