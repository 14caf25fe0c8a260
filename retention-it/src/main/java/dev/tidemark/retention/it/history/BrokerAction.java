package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Ack;
import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.model.Answer;
import dev.tidemark.retention.it.model.Partition;
import dev.tidemark.retention.it.model.WireTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What a broker does. */
sealed interface BrokerAction extends HistoryAction {

  /** New messages in one segment. */
  record Push(Address to, int messages) implements BrokerAction {
    @Override
    public void on(World world) {
      push(world, to, world.names().newWords(messages), null);
    }
  }

  /**
   * The last message is one that was there before, somewhere in the log.
   *
   * @param knownPercent up to where the pusher knows that none of them is; null: it knows nothing
   */
  record PushAgain(Address to, int messages, int oldPercent, Integer knownPercent)
      implements BrokerAction {
    @Override
    public void on(World world) {
      List<String> words = world.names().newWords(messages);
      Partition partition = world.model().at(to);
      Long verified = null;
      if (partition != null && !partition.everyWord().isEmpty()) {
        words.set(messages - 1, oldWord(partition, oldPercent));
        verified = knownPercent == null ? null : known(partition, knownPercent);
      }
      push(world, to, words, verified);
    }
  }

  /** The same message twice in one segment. */
  record PushTwice(Address to) implements BrokerAction {
    @Override
    public void on(World world) {
      String word = world.names().newWords(1).get(0);
      push(world, to, List.of(word, word), null);
    }
  }

  private static void push(World world, Address to, List<String> words, Long verified) {
    world.expect(
        () -> world.broker().push(to, words, verified),
        stamps -> world.model().push(to, words, verified, stamps));
  }

  /**
   * One segment into each; into every second one an old message again.
   *
   * @param knownPercent up to where the pusher of each knows that none is there; null: nothing
   */
  record PushMulti(List<Address> to, int oldPercent, Integer knownPercent) implements BrokerAction {
    @Override
    public void on(World world) {
      List<List<String>> words = new ArrayList<>();
      List<Long> verified = new ArrayList<>();
      for (int i = 0; i < to.size(); i++) {
        List<String> segment = world.names().newWords(2);
        Partition partition = world.model().at(to.get(i));
        if (i % 2 == 1 && partition != null && !partition.everyWord().isEmpty()) {
          segment.set(0, oldWord(partition, oldPercent));
        }
        words.add(segment);
        verified.add(
            partition == null || knownPercent == null ? null : known(partition, knownPercent));
      }
      world.expect(
          () -> world.broker().pushMulti(to, words, verified),
          stamps -> {
            List<Answer> answers = new ArrayList<>();
            for (int i = 0; i < to.size(); i++) {
              answers.add(world.model().push(to.get(i), words.get(i), verified.get(i), stamps));
            }
            return new Answer.Each(answers);
          });
    }
  }

  /** One new message to each, or an old one, and an ack, all or nothing. */
  record Transact(List<Address> to, Integer oldPercent, Reader from, Spot spot)
      implements BrokerAction {
    @Override
    public void on(World world) {
      Reader by = from.in(world);
      List<String> words = world.names().newWords(to.size());
      Partition first = world.model().at(to.get(0));
      if (oldPercent != null && first != null && !first.everyWord().isEmpty()) {
        words.set(0, oldWord(first, oldPercent));
      }
      List<Ack> acks =
          List.of(
              new Ack(
                  world.id(by.at()),
                  by.group(),
                  by.worker(),
                  spot.of(world.model().at(by.at()), by.group())));
      world.expect(
          () -> world.broker().transaction(to, words, acks),
          stamps -> WireTransaction.on(world.model(), to, words, acks, stamps));
    }
  }

  /** A batch; a null partition: any. The first of a group joins it. */
  record Pop(
      String queue, String partition, String group, String worker, int max, Integer leaseSeconds)
      implements BrokerAction {
    @Override
    public void on(World world) {
      world.expect(
          () -> world.broker().pop(queue, partition, group, worker, max, leaseSeconds),
          stamps -> world.model().pop(queue, partition, group, worker, max, leaseSeconds, stamps));
    }
  }

  record AckUpTo(Reader reader, Spot spot) implements BrokerAction {
    @Override
    public void on(World world) {
      Reader by = reader.in(world);
      UUID id = world.id(by.at());
      long offset = spot.of(world.model().at(by.at()), by.group());
      world.expect(
          () -> world.broker().ack(id, by.group(), by.worker(), offset),
          stamps -> world.model().ack(id, by.group(), by.worker(), offset));
    }
  }

  record AckByHash(Reader reader, Spot spot) implements BrokerAction {
    @Override
    public void on(World world) {
      Reader by = reader.in(world);
      UUID id = world.id(by.at());
      Partition partition = world.model().at(by.at());
      long offset = spot.of(partition, by.group());
      String word =
          partition != null && offset >= 0 && offset < partition.everyWord().size()
              ? partition.everyWord().get((int) offset)
              : world.names().newWords(1).get(0);
      world.expect(
          () -> world.broker().ackWord(id, by.group(), by.worker(), word),
          stamps -> world.model().ackWord(id, by.group(), by.worker(), word));
    }
  }

  /**
   * To where one of the live segments begins or the log ends, and some beside it: past the end is
   * refused.
   */
  record Seek(Address at, String group, int percent, int beside) implements BrokerAction {
    @Override
    public void on(World world) {
      UUID id = world.id(at);
      Partition partition = world.model().at(at);
      List<Long> places = new ArrayList<>();
      if (partition != null) {
        partition.segments().forEach(s -> places.add(s.base()));
        places.add(partition.row().lastOffset() + 1);
      }
      long place = places.isEmpty() ? 0 : places.get((places.size() - 1) * percent / 100);
      long offset = place + beside;
      world.expect(
          () -> world.broker().seek(id, group, offset),
          stamps -> world.model().seek(id, group, offset, stamps));
    }
  }

  record DeleteGroup(String queue, String group) implements BrokerAction {
    @Override
    public void on(World world) {
      world.expect(
          () -> world.broker().deleteGroup(queue, group),
          stamps -> world.model().deleteGroup(queue, group));
    }
  }

  /** A null value restores the default. */
  record Configure(String queue, Map<String, Object> options) implements BrokerAction {
    @Override
    public void on(World world) {
      world.expect(
          () -> world.broker().configure(queue, options),
          stamps -> world.model().configure(queue, options));
    }
  }

  record DeleteQueue(String queue) implements BrokerAction {
    @Override
    public void on(World world) {
      // Whatever the cursors say.
      world.expect(
          () -> world.broker().deleteQueue(queue), stamps -> world.model().deleteQueue(queue));
    }
  }

  record PutDeadLetter(Address at) implements BrokerAction {
    @Override
    public void on(World world) {
      UUID id = world.id(at);
      world.expect(
          () -> world.broker().putDeadLetter(id, "letter"),
          stamps -> world.model().putDeadLetter(id, "letter"));
    }
  }

  record DeleteDeadLetter(Address at) implements BrokerAction {
    @Override
    public void on(World world) {
      UUID id = world.id(at);
      world.expect(
          () -> world.broker().deleteDeadLetter(id, "letter"),
          stamps -> world.model().deleteDeadLetter(id, "letter"));
    }
  }

  /** State of a stream processor comes or goes. */
  record StreamState(Address at, boolean there) implements BrokerAction {
    @Override
    public void on(World world) {
      UUID id = world.id(at);
      if (world.model().at(at) != null) {
        world.expect(
            () -> world.broker().keepStreamState(id, there),
            stamps -> world.model().keepStreamState(id, there));
      }
    }
  }

  /** A broker of an older kind, whose leases have no end. */
  record ForgetExpiry(Address at, String group) implements BrokerAction {
    @Override
    public void on(World world) {
      UUID id = world.id(at);
      world.expect(
          () -> world.broker().forgetExpiry(id, group),
          stamps -> world.model().forgetExpiry(id, group));
    }
  }

  /** Above 100 percent it is past the end. */
  private static long known(Partition partition, int percent) {
    long last = partition.row().lastOffset();
    return percent > 100 ? last + 1 : last * percent / 100;
  }

  private static String oldWord(Partition partition, int percent) {
    List<String> every = partition.everyWord();
    return every.get((every.size() - 1) * percent / 100);
  }
}
