package dev.tidemark.retention.it.mutant;

import java.util.List;

/** Faults in what guards the log: the grants, and the check of the invariants. */
final class AuditMutants {
  private static final String STEP = "log_retention_step_v1";
  private static final String PIN = "retention_pins_v1";
  private static final String PUSH = "log_push_one_v1";
  private static final String CHECK = "log_invariants_v1";

  static final List<Mutant> LIST =
      List.of(
          // A function that is replaced keeps its grants: what is not revoked has to be given here.
          Mutant.of("it is for everybody", PIN)
              .edit(
                  "revoke all on function queen." + PIN + " from",
                  "grant all on function queen." + PIN + " to")
              .noticedBy("GrantLaws.noFunctionIsForEverybody"),
          Mutant.of("a step runs with the rights of its owner", STEP)
              .edit("    language plpgsql\n", "    language plpgsql\n    security definer\n")
              .noticedBy("GrantLaws.noFunctionLendsTheRightsOfItsOwner"),
          Mutant.of("the reader may run a step", STEP)
              .edit("to queen_retention;", "to queen_retention, queen_reader;")
              .noticedBy("GrantLaws.whatWritesIsForOneRole"),
          Mutant.of("retention may push", PUSH)
              .edit("to queen_broker;", "to queen_broker, queen_retention;")
              .noticedBy("GrantLaws.whatWritesIsForOneRole"),
          Mutant.of("the broker may run a step", STEP)
              .edit("to queen_retention;", "to queen_retention, queen_broker;")
              .noticedBy("GrantLaws.whatWritesIsForOneRole"),
          Mutant.of("retention may read what a message says", STEP)
              .edit(
                  "grant execute",
                  "grant select (blob) on queen.log_segments to queen_retention;\ngrant execute")
              .noticedBy("GrantLaws.whatAMessageSaysIsForTheBrokerAlone"),
          Mutant.of("everybody may read a table", STEP)
              .edit("grant execute", "grant select on queen.queues to public;\ngrant execute")
              .noticedBy("GrantLaws.noTableIsForEverybody"),
          Mutant.of("it does not look at where the log begins", CHECK)
              .edit(
                  "l.log_start is distinct from coalesce(l.first_base, l.last_offset + 1)", "false")
              .noticedBy("CheckerLaws"),
          Mutant.of("it does not look for gaps in the sidecar", CHECK)
              .edit("where x.next_base <> x.end_offset + 1", "where false")
              .noticedBy("CheckerLaws"),
          Mutant.of("it does not look for what outlived its partition", CHECK)
              .edit("from txns x where not exists (", "from txns x where false and not exists (")
              .noticedBy("CheckerLaws"),
          Mutant.of("it does not look at the cursors", CHECK)
              .edit("where c.committed > p.last_offset", "where false")
              .noticedBy("CheckerLaws"),
          Mutant.of("it does not look at the watermark of the sidecar", CHECK)
              .edit("l.oldest_txn_at is distinct from l.first_txn_at", "false")
              .noticedBy("CheckerLaws"),
          Mutant.of("it does not count the history", CHECK)
              .edit("l.counted > l.log_start", "false")
              .noticedBy("CheckerLaws"),
          Mutant.of("it does not look for steps that shared a transaction", CHECK)
              .edit("where r.steps > 1", "where false")
              .noticedBy("CheckerLaws"));

  private AuditMutants() {}
}
