package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.core.knob.Knobs;
import dev.tidemark.retention.sql.AuditGateway;
import dev.tidemark.retention.sql.BrokerGateway;
import dev.tidemark.retention.sql.LogGateway;
import dev.tidemark.retention.sql.QueueGateway;
import dev.tidemark.retention.sql.StatusGateway.Windows;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Runs a scenario on an empty database: sets it up, lets traffic and retention run beside each
 * other, stops both in order, checks, and sums up. Nothing of it is left running, however it ends.
 */
public final class Demo {
  /** The traffic's threads, a cycle, and the one that looks. */
  public static final int CONNECTIONS = Traffic.THREADS + knobs().parallelism() + 3 + 1;

  private static final Duration FRAME = Duration.ofMillis(500);

  private final DataSource dataSource;
  private final Scenario scenario;
  private final Watcher watcher;
  private final Ledger ledger = new Ledger();
  private final Latencies latencies = new Latencies();
  private final Watch watch = new Watch();

  public Demo(DataSource dataSource, Scenario scenario, Watcher watcher) {
    this.dataSource = dataSource;
    this.scenario = scenario;
    this.watcher = watcher;
  }

  /** Who wants to see it run. Called by the thread that runs the demo. */
  public interface Watcher {
    /** About twice a second. */
    void frame(Frame frame);

    /** Traffic and retention have ended; the check comes next. */
    void stopped();
  }

  /** A cycle a second, as short as the knobs allow. */
  private static Knobs knobs() {
    return Knobs.defaults().with(Knob.INTERVAL, "1000");
  }

  /**
   * Runs it to the end.
   *
   * @throws dev.tidemark.retention.core.database.DatabaseException what ended a thread of it early
   */
  public Summary run() throws InterruptedException {
    setUp();
    Observer observer = new Observer(dataSource, scenario.queues());
    long start = System.nanoTime();
    DemoRetention retention = new DemoRetention(dataSource, knobs());
    Traffic traffic = new Traffic(scenario, new BrokerGateway(dataSource), ledger, latencies);
    Duration ran;
    try (retention;
        traffic) {
      retention.start();
      traffic.start();
      ran = watch(observer, retention, traffic, start);
    }
    traffic.requireSound();
    // What became due while the traffic came to its end.
    retention.once();
    watcher.stopped();
    Look last = observer.look();
    watch.see(last);
    return new Totaler(scenario, ledger, latencies)
        .summary(
            ran,
            last,
            new Summary.Retention(retention.cycles(), retention.failedSteps()),
            new InvariantCheck(new AuditGateway(dataSource), ledger, watch).verdicts(last));
  }

  private Duration watch(Observer observer, DemoRetention retention, Traffic traffic, long start)
      throws InterruptedException {
    Camera camera = new Camera(scenario, ledger, latencies);
    Stop never = new Stop();
    long end = start + scenario.length().toNanos();
    for (long next = start + FRAME.toNanos(); next <= end; next += FRAME.toNanos()) {
      never.pauseUntil(next);
      traffic.requireSound();
      Look look = observer.look();
      watch.see(look);
      watcher.frame(
          camera.frame(look, Duration.ofNanos(System.nanoTime() - start), retention.cycles()));
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /**
   * Queues with their windows, and both groups at the beginning of every partition: a group that
   * joined later would find that rule 2 had not waited for it.
   */
  private void setUp() {
    QueueGateway queues = new QueueGateway(dataSource);
    LogGateway log = new LogGateway(dataSource);
    for (QueuePlan queue : scenario.queues()) {
      Windows windows = queue.windows();
      queues.configure(
          queue.name(),
          Map.of(
              "retentionEnabled", windows.retentionEnabled(),
              "retentionSeconds", BigDecimal.valueOf(windows.retention()),
              "completedRetentionSeconds", BigDecimal.valueOf(windows.completedRetention()),
              "maxWaitTimeSeconds", BigDecimal.valueOf(windows.maxWait())));
      for (UUID id :
          log.importing(
              transaction ->
                  queue.partitions().stream()
                      .map(partition -> transaction.provision(queue.name(), partition))
                      .toList())) {
        log.seek(id, Scenario.FAST, 0);
        log.seek(id, Scenario.SLOW, 0);
      }
    }
  }
}
