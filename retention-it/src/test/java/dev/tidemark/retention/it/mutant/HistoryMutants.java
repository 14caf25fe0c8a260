package dev.tidemark.retention.it.mutant;

import java.util.List;

/** Faults in the roll-up of the history, and in what reads it afterwards. */
final class HistoryMutants {
  private static final String ROLL_UP = "log_history_roll_up_step_v1";
  private static final String SERIES = "get_retention_timeseries_v1";
  private static final String TOTALS = "retention_history_totals_v1";

  static final List<Mutant> LIST =
      List.of(
          Mutant.of("a batch overwrites the total that is there", ROLL_UP)
              .edit("m.messages_deleted + excluded.messages_deleted", "excluded.messages_deleted")
              .noticedBy("HistoryRollUpLaws.everyTotalIsTheSameBeforeAndAfter"),
          Mutant.of("it counts a minute as one step", ROLL_UP)
              .edit("m.steps + excluded.steps", "m.steps + 1")
              .noticedBy("HistoryRollUpLaws.everyTotalIsTheSameBeforeAndAfter"),
          Mutant.of("it rolls up hours", ROLL_UP)
              .edit("date_bin('1 minute'", "date_bin('1 hour'")
              .noticedBy("HistoryRollUpLaws.everyTotalIsTheSameBeforeAndAfter"),
          Mutant.of("it forgets which queue is none", ROLL_UP)
              .edit(
                  "              from gone g\n",
                  "              from gone g where g.queue_id is not null\n")
              .noticedBy("HistoryRollUpLaws.everyTotalIsTheSameBeforeAndAfter"),
          Mutant.of("what is exactly as old as the cutoff goes", ROLL_UP)
              .edit("and o.executed_at < $2", "and o.executed_at <= $2")
              .noticedBy("HistoryRollUpLaws.theOldestStepsBeforeTheCutoffAreTakenAndNothingElse"),
          Mutant.of("it begins after where it was told to", ROLL_UP)
              .edit("o.executed_at >= coalesce", "o.executed_at > coalesce")
              .noticedBy("HistoryRollUpLaws.batchesThatGoOnFromOneToTheNextTakeAll"),
          Mutant.of("it takes any rows, not the oldest", ROLL_UP)
              .edit("order by o.executed_at\n", "order by o.executed_at desc\n")
              .noticedBy("HistoryRollUpLaws.theOldestStepsBeforeTheCutoffAreTakenAndNothingElse"),
          Mutant.of("the first batch says done", ROLL_UP)
              .edit("'done', v_rolled < p_max_rows", "'done', true")
              .noticedBy("HistoryRollUpLaws.batchesThatGoOnFromOneToTheNextTakeAll"),
          Mutant.of("it waits for rows that somebody holds", ROLL_UP)
              .edit("for update skip locked", "for update")
              .noticedBy("HistoryRollUpLaws.twoAtOnceDoNotWaitForEachOthersRows"),
          Mutant.of("the time series does not read the minutes", SERIES)
              .edit("where m.minute >= v_from and m.minute < v_to", "where false")
              .noticedBy("HistoryRollUpLaws.aTimeSeriesOfWholeMinutesIsTheSameBeforeAndAfter"),
          Mutant.of("the time series counts the minute it ends with", SERIES)
              .edit("m.minute < v_to", "m.minute <= v_to")
              .noticedBy("HistoryRollUpLaws.aTimeSeriesOfWholeMinutesIsTheSameBeforeAndAfter"),
          Mutant.of("the totals count minutes, not steps", TOTALS)
              .edit(
                  "m.segments_deleted, m.messages_deleted, m.steps",
                  "m.segments_deleted, m.messages_deleted, 1")
              .noticedBy("HistoryRollUpLaws.aTimeSeriesOfWholeMinutesIsTheSameBeforeAndAfter"));

  private HistoryMutants() {}
}
