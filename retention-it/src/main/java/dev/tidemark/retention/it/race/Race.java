package dev.tidemark.retention.it.race;

import dev.tidemark.retention.it.suite.Seed;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.it.support.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sessions in which actors do one thing each over and over, all sessions at once and the actors of
 * one in turn. The first that meets something unexpected ends the race.
 */
public final class Race {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final TestDatabase database;
  private final String name;
  private final Map<String, List<Actor>> sessions = new LinkedHashMap<>();
  private final Map<String, LongAdder> done = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> refused = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final CountDownLatch failed = new CountDownLatch(1);
  private volatile boolean over;

  public Race(TestDatabase database, String name) {
    this.database = database;
    this.name = name;
  }

  /** One turn; whether it came to anything. */
  public interface Turn {
    boolean take(Sql session, Random random) throws Exception;
  }

  private record Actor(String name, Set<String> legal, Turn turn) {}

  /** An actor in a session of its own, which may be refused with one of these SQLSTATEs. */
  public void actor(String actor, Set<String> legal, Turn turn) {
    actor(actor, actor, legal, turn);
  }

  public void actor(String session, String actor, Set<String> legal, Turn turn) {
    done.put(actor, new LongAdder());
    sessions.computeIfAbsent(session, k -> new ArrayList<>()).add(new Actor(actor, legal, turn));
  }

  private Thread start(String name, List<Actor> actors) {
    Sql session = database.connect();
    Random random = Seed.random(this.name + "." + name);
    Thread thread =
        new Thread(
            () -> {
              for (int i = 0; !over; i = (i + 1) % actors.size()) {
                take(actors.get(i), session, random);
              }
              // Counters of a session are flushed at most once a second unless asked.
              session.run("select pg_stat_force_next_flush()");
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void take(Actor actor, Sql session, Random random) {
    try {
      if (actor.turn.take(session, random)) {
        done.get(actor.name).increment();
      }
    } catch (Throwable e) {
      String state = e instanceof SqlFailure failure ? failure.state() : "";
      if (actor.legal.contains(state)) {
        refused.computeIfAbsent(actor.name + " " + state, k -> new LongAdder()).increment();
      } else {
        failures.add(new AssertionError(actor.name + ": " + e, e));
        over = true;
        failed.countDown();
      }
    }
  }

  /** Runs all of them for so long, or until one fails, and waits for all to end. */
  public void run(Duration length) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    sessions.forEach((session, actors) -> threads.add(start(session, actors)));
    failed.await(length.toMillis(), TimeUnit.MILLISECONDS);
    // On a slow machine, longer: until everybody has done something.
    for (int i = 0; i < 600 && !over && !everyActorDidSomething(); i++) {
      failed.await(100, TimeUnit.MILLISECONDS);
    }
    over = true;
    for (Thread thread : threads) {
      thread.join(PATIENCE.toMillis());
      if (thread.isAlive()) {
        failures.add(new AssertionError(thread.getName() + " does not end"));
      }
    }
    if (!failures.isEmpty()) {
      AssertionError error = new AssertionError(failures.size() + " failures; " + this);
      failures.forEach(error::addSuppressed);
      throw error;
    }
  }

  private boolean everyActorDidSomething() {
    return done.values().stream().allMatch(turns -> turns.sum() > 0);
  }

  /** How many turns of each actor came to something. */
  public Map<String, LongAdder> done() {
    return done;
  }

  @Override
  public String toString() {
    return "seed " + Seed.current() + ", done " + done + ", refused " + refused;
  }
}
