package dev.tidemark.retention.it.mutant;

import java.util.List;

/** Faults in the leases. */
final class ScheduleMutants {
  private static final String REGISTER = "lease_register_v1";
  private static final String CLAIM = "lease_claim_v1";
  private static final String RENEW = "lease_renew_v1";
  private static final String RELEASE = "lease_release_v1";
  private static final String NOTE = "lease_note_cycle_v1";
  private static final String STANDING = "lease_standing_v1";

  static final List<Mutant> LIST =
      List.of(
          Mutant.of("a running lease is claimed", CLAIM)
              .edit(
                  "\n       and (l.lease_until is null or l.lease_until <= clock_timestamp())", "")
              .noticedBy("LeaseLaws"),
          Mutant.of("a paused task is claimed", CLAIM)
              .edit("\n       and l.enabled\n", "\n")
              .noticedBy("LeaseLaws"),
          Mutant.of("a task is claimed before it is due", CLAIM)
              .edit("\n       and l.next_due_at <= clock_timestamp()\n", "\n")
              .noticedBy("LeaseLaws"),
          Mutant.of("a claim keeps the fence of the one before", CLAIM)
              .edit("fence = l.fence + 1", "fence = l.fence")
              .noticedBy("LeaseLaws"),
          Mutant.of("who lost the lease renews it", RENEW)
              .edit("l.holder = p_holder and l.fence = p_fence", "true")
              .noticedBy("LeaseLaws"),
          Mutant.of("a paused task is renewed", RENEW)
              .edit(
                  "case when l.enabled then clock_timestamp() + p_lease_ms * interval '1 millisecond' else l.lease_until end",
                  "clock_timestamp() + p_lease_ms * interval '1 millisecond'")
              .noticedBy("LeaseLaws"),
          Mutant.of("a renewal adds to the lease that there is", RENEW)
              .edit("then clock_timestamp() + p_lease_ms", "then l.lease_until + p_lease_ms")
              .noticedBy("LeaseLaws.aRenewalKeepsTheTaskNoLongerThanWasAskedFor"),
          Mutant.of("who lost the lease releases it", RELEASE)
              .edit("l.holder = p_holder and l.fence = p_fence", "true")
              .noticedBy("LeaseLaws"),
          Mutant.of("a cycle that failed counts as served", RELEASE)
              .edit(
                  "                              else l.next_due_at end",
                  "                              else l.next_due_at + l.period_ms * interval '1 millisecond' end")
              .noticedBy("LeaseLaws"),
          Mutant.of("a release makes up for every period that was missed", RELEASE)
              .edit(
                  "greatest(l.next_due_at + l.period_ms * interval '1 millisecond', clock_timestamp())",
                  "l.next_due_at + l.period_ms * interval '1 millisecond'")
              .noticedBy("LeaseLaws"),
          Mutant.of("a start switches a paused task on", REGISTER)
              .edit(
                  "set period_ms = excluded.period_ms,",
                  "set period_ms = excluded.period_ms, enabled = true,")
              .noticedBy("LeaseLaws"),
          Mutant.of("a shorter period waits for the end of the longer one", REGISTER)
              .edit("when excluded.period_ms < l.period_ms", "when false")
              .noticedBy("LeaseLaws"),
          Mutant.of("a cycle by hand writes into a running lease", NOTE)
              .edit("\n     where l.lease_until is null or l.lease_until <= clock_timestamp()", "")
              .noticedBy("LeaseLaws"),
          Mutant.of("a claim stands whatever its fence", STANDING)
              .edit(" and l.fence = p_fence", "")
              .noticedBy("LeaseLaws"),
          Mutant.of("a claim stands while its task is paused", STANDING)
              .edit("when l.enabled then 'held'", "when true then 'held'")
              .noticedBy("LeaseLaws"),
          Mutant.of("another's claim stands", STANDING)
              .edit(" and l.holder = p_holder", "")
              .noticedBy("DrainStopLaws.noStepBeginsOnceItsClaimIsGone"),
          Mutant.of("nothing stands beside the schedule", STANDING)
              .edit("case when p_task is null then 'held'\n                when", "case when")
              .noticedBy("DrainStopLaws.besideTheScheduleNoClaimMatters"));

  private ScheduleMutants() {}
}
