package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.model.Answer;
import dev.tidemark.retention.it.model.Options;
import dev.tidemark.retention.it.model.Partition;
import dev.tidemark.retention.it.step.Cut;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;

/** What retention does, and what makes work for it: age. */
sealed interface RetentionAction extends HistoryAction {

  /**
   * Segments of so many hours and a half ago, or as old as the newest one's stamp allows.
   *
   * @param hoursApart 0: all at the very same time
   * @param micros how far beside the newest stamp, where that one counts: -1 is refused
   */
  record Import(Address to, int hoursAgo, List<Integer> segments, int hoursApart, int micros)
      implements RetentionAction {
    @Override
    public void on(World world) {
      if (world.model().at(to) == null) {
        world.provision(to);
      }
      UUID id = world.id(to);
      Instant first = world.now().minus(Duration.ofHours(hoursAgo).plusMinutes(30));
      Instant stamp = world.model().at(to).row().lastCreatedAt();
      if (stamp != null && first.isBefore(stamp)) {
        first = stamp.plusNanos(micros * 1_000L);
      }
      List<Instant> times = new ArrayList<>();
      List<List<String>> words = new ArrayList<>();
      for (int i = 0; i < segments.size(); i++) {
        times.add(first.plus(Duration.ofHours((long) i * hoursApart)));
        words.add(world.names().newWords(segments.get(i)));
      }
      world.expect(
          () -> world.broker().load(id, times, words),
          stamps -> world.model().load(id, times, words, stamps));
    }
  }

  /** Everything gets older. */
  record TimePasses(int hours) implements RetentionAction {
    private static final List<String> OLDER =
        List.of(
            "update queen.log_segments set created_at = created_at - by",
            "update queen.log_txns set created_at = created_at - by",
            "update queen.log_consumers set created_at = created_at - by,"
                + " lease_acquired_at = lease_acquired_at - by, lease_expires_at = lease_expires_at - by",
            "update queen.log_partitions set created_at = created_at - by,"
                + " last_created_at = last_created_at - by, last_write_at = last_write_at - by,"
                + " oldest_live_at = oldest_live_at - by, oldest_txn_at = oldest_txn_at - by");

    @Override
    public void on(World world) {
      world.expect(
          () -> {
            OLDER.forEach(
                update -> world.sql().run(update + " from make_interval(hours => ?) by", hours));
            return new Answer.Done();
          },
          stamps -> world.model().age(Duration.ofHours(hours)));
    }
  }

  /** Rules 1 and 2 with these cutoffs; null = off. */
  record Step(Address at, Cut all, Cut completed, int maxRows) implements RetentionAction {
    @Override
    public void on(World world) {
      UUID id = world.id(at);
      Instant byAge = world.besideSegment(at, all);
      Instant byConsumption = world.besideSegment(at, completed);
      world.expect(
          address -> byAge == null ? Instant.MIN : byAge,
          () -> world.retention().step(id, byAge, byConsumption, maxRows),
          stamps -> world.model().retention().step(id, byAge, byConsumption, maxRows));
    }
  }

  /** One batch of the same by the drain on the server, if the windows cover these cutoffs. */
  record Drain(Address at, Cut all, Cut completed, int maxRows) implements RetentionAction {
    @Override
    public void on(World world) {
      UUID id = world.id(at);
      Instant byAge = world.besideSegment(at, all);
      Instant byConsumption = world.besideSegment(at, completed);
      Instant now = world.now();
      Options options = world.model().queues().getOrDefault(at.queue(), Options.DEFAULTS);
      boolean covered =
          covers(options.all(now), byAge) && covers(options.completed(now), byConsumption);
      world.expect(
          address -> byAge == null ? Instant.MIN : byAge,
          () -> world.retention().drain(at.queue(), id, byAge, byConsumption, maxRows),
          stamps ->
              covered
                  ? world.model().retention().step(id, byAge, byConsumption, maxRows)
                  : new Answer.Refused("rule"));
    }

    private static boolean covers(Instant window, Instant cutoff) {
      return cutoff == null || window != null && !cutoff.isAfter(window);
    }
  }

  record Evict(Address at, Cut cut, int maxRows) implements RetentionAction {
    @Override
    public void on(World world) {
      UUID id = world.id(at);
      Instant cutoff = world.besideSegment(at, cut);
      world.expect(
          address -> cutoff == null ? Instant.MIN : cutoff,
          () -> world.retention().evict(id, cutoff, maxRows),
          stamps -> world.model().retention().evict(id, cutoff, maxRows));
    }
  }

  record Purge(Address at, Cut cut, int maxRows) implements RetentionAction {
    @Override
    public void on(World world) {
      UUID id = world.id(at);
      Instant cutoff = world.besideHashes(at, cut);
      world.expect(
          () -> world.retention().purge(id, cutoff, maxRows),
          stamps -> world.model().retention().purge(id, cutoff, maxRows));
    }
  }

  /** The whole log of a partition gets too old, whoever has read it. */
  record Empty(Address at) implements RetentionAction {
    @Override
    public void on(World world) {
      new Evict(at, new Cut(100, 1), 1000).on(world);
    }
  }

  /** One of the times of a partition, or of all its cursors, is now, whatever the others are. */
  record Touch(Address at, Sign sign) implements RetentionAction {
    @Override
    public void on(World world) {
      UUID id = world.id(at);
      Instant now = world.now();
      world.expect(
          () -> {
            sign.touch(world.sql(), id, now);
            return new Answer.Done();
          },
          stamps -> {
            Partition partition = world.model().at(at);
            if (partition != null) {
              sign.touch(partition, now);
            }
            return new Answer.Done();
          });
    }
  }

  /** Asks what is dead, and deletes it: at 0 microseconds the sign still keeps its partition. */
  record Cleanup(Address at, Sign sign, long micros, int maxRows) implements RetentionAction {
    @Override
    public void on(World world) {
      Partition partition = world.model().at(at);
      Instant time = partition == null ? world.now() : sign.of(partition, world.now());
      Instant cutoff = time.plusNanos(micros * 1_000);
      UUID id = world.id(at);
      world.expect(
          () -> world.retention().dead(id, cutoff),
          stamps -> new Answer.Dead(world.model().retention().isDead(id, cutoff)));
      world.expect(
          () -> world.retention().cleanup(cutoff, maxRows),
          stamps -> world.model().retention().cleanup(cutoff, maxRows, stamps));
    }
  }

  /** Watermarks get lost or wrong, as after a restore, and walks mend them, so many rows a page. */
  record TearAndWalk(List<Address> torn, Tear tear, int maxRows) implements RetentionAction {
    @Override
    public void on(World world) {
      TreeSet<UUID> wrong = new TreeSet<>();
      for (Address address : torn) {
        UUID id = world.id(address);
        if (tear.on(world.sql(), id)) {
          wrong.add(id);
        }
      }
      UUID after = null;
      boolean done = false;
      while (!done) {
        Answer.Walked is = world.retention().walk(after, maxRows);
        Answer.Walked expected = world.model().retention().walk(after, maxRows, wrong);
        if (!is.equals(expected)) {
          throw new AssertionError("walked: database %s, model %s".formatted(is, expected));
        }
        after = is.lastId();
        done = is.done();
      }
      world.expect(Answer.Done::new, stamps -> new Answer.Done());
    }
  }

  /** One whole cycle of the runner, by the windows as they are configured. */
  record Cycle() implements RetentionAction {
    private static final Duration CLEANUP_AFTER = Duration.ofDays(30);

    @Override
    public void on(World world) {
      Instant now = world.now();
      world.expect(
          address -> {
            Options options =
                world.model().queues().getOrDefault(address.queue(), Options.DEFAULTS);
            Instant all = options.all(now.plusSeconds(60));
            Instant maxWait = options.maxWait(now.plusSeconds(60));
            Instant byAge = all == null ? Instant.MIN : all;
            return maxWait == null || maxWait.isBefore(byAge) ? byAge : maxWait;
          },
          () -> world.retention().cycle(),
          stamps -> world.model().retention().cycle(CLEANUP_AFTER, 1000, stamps));
    }
  }

  /** All of it in one transaction, which is rolled back. */
  record RolledBack(List<HistoryAction> actions) implements RetentionAction {
    @Override
    public void on(World world) {
      world.undone(actions);
    }
  }
}
