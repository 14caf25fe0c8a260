package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.CycleOutcome;
import dev.tidemark.retention.core.cycle.CycleReport;
import dev.tidemark.retention.core.cycle.StopSignal;
import dev.tidemark.retention.core.cycle.WalkReport;
import dev.tidemark.retention.core.table.TableReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The lines that cycles, walks and passes leave behind. A cycle, or a pass over the event tables,
 * speaks at INFO when something went and at DEBUG when nothing did: the rest is noise. A walk, once
 * a day, always speaks.
 */
final class CycleLog {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  private CycleLog() {}

  static void ended(CycleOutcome outcome) {
    if (outcome instanceof CycleOutcome.Swept swept) {
      swept(swept.report());
    } else if (outcome instanceof CycleOutcome.Stopped stopped) {
      swept(stopped.report());
    } else {
      LOG.debug("lock busy, another writer is sweeping");
    }
  }

  static void walked(WalkReport report) {
    LOG.info(
        "watermark walk scanned={} repaired={} held={} stopped={} elapsed_ms={}",
        report.scanned(),
        report.repaired(),
        report.held(),
        report.stopped().map(StopSignal.Reason::name).orElse("no"),
        report.elapsed().toMillis());
  }

  static void passed(TableReport report) {
    LOG.atLevel(report.deleted() > 0 ? Level.INFO : Level.DEBUG)
        .log(
            "tables policies={} rows_deleted={} rows_archived={} failed={} waiting={} elapsed_ms={}",
            report.policies().size(),
            report.deleted(),
            report.archived(),
            report.failed(),
            report.waiting(),
            report.elapsed().toMillis());
  }

  private static void swept(CycleReport report) {
    LOG.atLevel(report.deletedSomething() ? Level.INFO : Level.DEBUG)
        .log(
            "swept queues={} due={} backed_off={} segments_deleted={} txns_purged={} max_wait_evicted={} partitions_deleted={}"
                + " failed={} metrics_purged={} history_rolled_up={} elapsed_ms={}",
            report.rules().size(),
            report.visits().due(),
            report.visits().backedOff(),
            report.segmentsDeleted(),
            report.txnsPurged(),
            report.maxWaitEvicted(),
            report.partitionsDeleted(),
            report.visits().failed(),
            report.metrics().rows(),
            report.rollUp().rows(),
            report.elapsed().toMillis());
  }
}
