package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.sql.BrokerGateway;
import dev.tidemark.retention.sql.BrokerGateway.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The threads of the demo. They end in order: who pushes first, who reads then, each between two
 * calls, so that nothing is left leased or half counted. One that fails is remembered, not retried.
 */
final class Traffic implements AutoCloseable {
  private static final int FAST_WORKERS = 2;

  /** Threads that use a connection at the same time. */
  static final int THREADS = Scenario.PUSHERS + FAST_WORKERS + 1;

  private final Scenario scenario;
  private final BrokerGateway broker;
  private final Ledger ledger;
  private final Latencies latencies;
  private final Stop stopPushing = new Stop();
  private final Stop stopReading = new Stop();
  private final List<Thread> pushers = new ArrayList<>();
  private final List<Thread> readers = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  Traffic(Scenario scenario, BrokerGateway broker, Ledger ledger, Latencies latencies) {
    this.scenario = scenario;
    this.broker = broker;
    this.ledger = ledger;
    this.latencies = latencies;
  }

  private interface Work {
    void run() throws InterruptedException;
  }

  void start() {
    for (int i = 1; i <= FAST_WORKERS; i++) {
      Consumer fast = new Consumer(broker, ledger, new Reader(Scenario.FAST, "fast-" + i));
      readers.add(thread("demo-fast-" + i, () -> fast.keepUp(scenario.queues(), stopReading)));
    }
    Consumer slow = new Consumer(broker, ledger, new Reader(Scenario.SLOW, "slow-1"));
    readers.add(
        thread(
            "demo-slow",
            () -> slow.wakeUpEvery(scenario.slowPause(), scenario.queues(), stopReading)));
    for (PushLoop loop : scenario.pushers()) {
      Sender sender = new Sender(broker, ledger, latencies);
      pushers.add(thread("demo-push-" + (pushers.size() + 1), () -> loop.run(sender, stopPushing)));
    }
    readers.forEach(Thread::start);
    pushers.forEach(Thread::start);
  }

  private Thread thread(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (RuntimeException | Error e) {
                failure.compareAndSet(null, e);
              }
            },
            name);
    thread.setDaemon(true);
    return thread;
  }

  /** Throws what ended a thread early. */
  void requireSound() {
    Throwable thrown = failure.get();
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown instanceof RuntimeException e) {
      throw e;
    }
  }

  @Override
  public void close() throws InterruptedException {
    stopPushing.request();
    join(pushers);
    stopReading.request();
    join(readers);
  }

  private static void join(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
