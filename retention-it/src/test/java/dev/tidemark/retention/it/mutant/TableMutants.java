package dev.tidemark.retention.it.mutant;

import java.util.List;

/** Faults in what keeps event tables to their windows. */
final class TableMutants {
  private static final String BOUND = "table_bound_v1";
  private static final String CONDITION = "table_row_condition_v1";
  private static final String LEAF = "table_leaf_step_v1";
  private static final String STEP = "table_delete_step_v1";
  private static final String RESOLVE = "table_resolve_v1";
  private static final String STAYS = "TableLaws.rowsThatStayHideNoOthersAndEndARun";
  private static final String WINDOW = "TableLaws.theWindowIsKeptToTheMicrosecond";

  static final List<Mutant> LIST =
      List.of(
          Mutant.of("a local time that came twice is taken for its first", BOUND)
              .edit(
                  "greatest(v_local at time zone p_zone - p_cutoff, interval '0')", "interval '0'")
              .noticedBy(WINDOW),
          Mutant.of("a day that is not over counts as past", BOUND)
              .edit(
                  "when 'date' then v_local::date::text",
                  "when 'date' then (v_local::date + 1)::text")
              .noticedBy(WINDOW),
          Mutant.of("units are rounded up", BOUND)
              .edit("v_units := floor(", "v_units := ceil(")
              .noticedBy(WINDOW),
          Mutant.of("UUIDs of the cutoff's own millisecond go", BOUND)
              .edit("%s-%s-7000-8000-000000000000", "%s-%s-7fff-bfff-ffffffffffff")
              .noticedBy("TableLaws.whatIsOfTheCutoffsOwnMomentStays"),
          Mutant.of("the row at the bound goes", CONDITION)
              .edit("t.%I operator(pg_catalog.<) %L::%s", "t.%I operator(pg_catalog.<=) %L::%s")
              .noticedBy(WINDOW),
          Mutant.of("the predicate is not asked", CONDITION)
              .edit("coalesce(' and (' || p_predicate || ')', '')", "''")
              .noticedBy(WINDOW),
          Mutant.of("a short batch means the end", LEAF)
              .edit("if not remains and (chosen > 0 or skipped > 0) then", "if false then")
              .noticedBy(WINDOW),
          Mutant.of("it never begins anew", LEAF)
              .edit("exit when v_batch.chosen > 0 or v_position is null;", "exit;")
              .noticedBy(WINDOW),
          Mutant.of("the first leaf speaks for all", STEP)
              .edit("exit when v_full or v_deleted > 0 and v_left;", "exit;")
              .noticedBy(WINDOW),
          Mutant.of("a cutoff inside the window is obeyed", STEP)
              .edit(
                  "least(p_cutoff, queen.table_cutoff_v1(p_keep => (v_found.policy).keep))",
                  "p_cutoff")
              .noticedBy("TableLaws.noCallerReachesIntoTheWindow"),
          Mutant.of("history is not written", STEP)
              .edit(
                  "    if v_deleted > 0 then\n        insert", "    if false then\n        insert")
              .noticedBy(WINDOW),
          Mutant.of("the name decides, where the number means something", RESOLVE)
              .edit(
                  "case when v_here then policy.relation_id",
                  "case when false then policy.relation_id")
              .noticedBy("TableLaws.aTableThatTookTheNameIsAnotherTable"),
          Mutant.of("the number decides, where it means nothing", RESOLVE)
              .edit("v_here := policy.home = v_home;", "v_here := true;")
              .noticedBy("TableLaws.whereTheNumbersMeanNothingTheNamesDecide"),
          Mutant.of("a predicate may hold more than one statement", "table_predicate_v1")
              .edit(
                  "        open v_cursor for execute format('select 1 from pg_temp.%1$s where (%3$s%2$s%3$s)', v_name, p_predicate,"
                      + " e'\\n');\n        close v_cursor;\n",
                  "")
              .noticedBy("TableLaws.aPredicateIsAConditionAndNothingElse"),
          Mutant.of("a failure goes through to the others", "table_run_step_v1")
              .edit("when others or assert_failure then", "when assert_failure then")
              .noticedBy("TableLaws.onePolicyThatFailsStopsNoOther"),
          Mutant.of("what goes does not come to the archive", "table_leaf_batch_v1")
              .edit(
                  "select %5$s from gone returning 1)",
                  "select %5$s from gone where false returning 1)")
              .noticedBy(WINDOW),
          Mutant.of("a position is a moment, and what else there is of it is passed", CONDITION)
              .edit("or t.ctid operator(pg_catalog.>) %4$L::pg_catalog.tid", "or false")
              .noticedBy(STAYS),
          Mutant.of("a batch of rows that stay is the last", LEAF)
              .edit("remains and (deleted > 0 or not v_anew)", "remains and deleted > 0")
              .noticedBy(STAYS),
          Mutant.of("a leaf in which nothing moves is worked at again and again", LEAF)
              .edit("v_look := p_max_rows is null or v_stuck;", "v_look := p_max_rows is null;")
              .noticedBy(STAYS),
          Mutant.of("a leaf in which nothing moved is not asked by the next run", STEP)
              .edit(
                  "    if v_stuck then\n        -- The next",
                  "    if false then\n        -- The next")
              .noticedBy(STAYS),
          Mutant.of("what is behind a row that is held in another table waits", LEAF)
              .edit("case when p_max_rows = 1 then array['pass'] end", "null::text[]")
              .noticedBy("TableLaws.aRowThatIsHeldInAnotherTableIsPassed"),
          Mutant.of("a leaf stays one while it is waited for", "table_leaf_hold_v1")
              .edit("select from up u where u.id = p_relation)", "select from up u)")
              .noticedBy("TableLaws.whatIsNoLeafAnyMoreIsLeftAlone"),
          Mutant.of(
                  "rows of one moment are passed by place, in the order of the index",
                  "table_leaf_batch_v1")
              .edit("case when p_by_place then ', t.ctid' else '' end", "''")
              .noticedBy("TableLaws.rowsThatStayHideNoOthersWhateverTheIndex"),
          Mutant.of("a policy that was lost at home is found elsewhere", RESOLVE)
              .edit("if not v_here and policy.lost then", "if false then")
              .noticedBy("TableLaws.whatIsLostWhereItWasSetIsFoundNowhereElse"),
          Mutant.of("a condition is spelled by the session's dates", "table_spelled_v1")
              .edit("    set datestyle = 'ISO, YMD'\n", "")
              .noticedBy("TableLaws.aConditionReadsTheSameInEverySession"),
          Mutant.of("a policy is read while somebody sets it", "table_open_v1")
              .edit("where p.name = p_name for no key update;", "where p.name = p_name;")
              .noticedBy("TableLaws.aWindowThatIsWidenedMeanwhileIsKept"));

  private TableMutants() {}
}
