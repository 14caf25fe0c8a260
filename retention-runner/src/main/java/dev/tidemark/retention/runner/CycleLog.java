package dev.tidemark.retention.runner;

import dev.tidemark.retention.core.cycle.CycleReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The line a cycle leaves behind: at INFO when something went, at DEBUG when nothing did. */
final class CycleLog {
  private static final Logger LOG = LoggerFactory.getLogger("retention");

  private CycleLog() {}

  static void swept(CycleReport report) {
    LOG.atLevel(report.deletedSomething() ? Level.INFO : Level.DEBUG)
        .log(
            "swept queues={} due={} backed_off={} segments_deleted={} txns_purged={} max_wait_evicted={} partitions_deleted={}"
                + " failed={} metrics_purged={} elapsed_ms={}",
            report.rules().size(),
            report.visits().due(),
            report.visits().backedOff(),
            report.segmentsDeleted(),
            report.txnsPurged(),
            report.maxWaitEvicted(),
            report.partitionsDeleted(),
            report.visits().failed(),
            report.metrics().rows(),
            report.elapsed().toMillis());
  }
}
