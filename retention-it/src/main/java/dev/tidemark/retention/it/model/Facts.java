package dev.tidemark.retention.it.model;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;

/** The names of all there is to know of a log, and what differs between two accounts of it. */
public final class Facts {
  private Facts() {}

  /** All of a model, each with a name, so that a difference names itself. */
  public static SortedMap<String, Object> of(Log log, Function<UUID, String> names) {
    SortedMap<String, Object> facts = new TreeMap<>();
    log.queues().forEach((name, options) -> facts.put(queue(name), options.values()));
    for (Partition partition : log.partitions()) {
      String name = names.apply(partition.id());
      facts.put(partition(name), partition.row());
      partition.segments().forEach(s -> facts.put(segment(name, s.base()), s));
      partition.sidecar().forEach(r -> facts.put(hashes(name, r.base()), r));
      partition.cursors().forEach((group, c) -> facts.put(cursor(name, group), c));
    }
    log.deadLetters()
        .forEach(
            (id, letters) ->
                facts.put(deadLetters(names.apply(id)), letters.stream().sorted().toList()));
    log.streams().forEach(id -> facts.put(streamState(names.apply(id)), true));
    log.history()
        .forEach(
            (id, types) ->
                types.forEach((type, c) -> facts.put(history(names.apply(id), type), c)));
    return facts;
  }

  public static String queue(String name) {
    return "queue " + name;
  }

  public static String partition(String name) {
    return name;
  }

  public static String segment(String partition, long base) {
    return "%s, segment %02d".formatted(partition, base);
  }

  public static String hashes(String partition, long base) {
    return "%s, sidecar row %02d".formatted(partition, base);
  }

  public static String cursor(String partition, String group) {
    return partition + ", cursor of " + group;
  }

  public static String deadLetters(String partition) {
    return partition + ", dead letters";
  }

  public static String streamState(String partition) {
    return partition + ", stream state";
  }

  public static String history(String partition, String type) {
    return partition + ", history of " + type;
  }

  /** One line for each fact that is not the same; empty when all are. */
  public static List<String> differences(
      SortedMap<String, Object> database, SortedMap<String, Object> model) {
    SortedSet<String> names = new TreeSet<>(database.keySet());
    names.addAll(model.keySet());
    List<String> differences = new ArrayList<>();
    for (String name : names) {
      Object is = database.getOrDefault(name, "not there");
      Object expected = model.getOrDefault(name, "not there");
      if (!is.equals(expected)) {
        differences.add("%s%n    database  %s%n    model     %s".formatted(name, is, expected));
      }
    }
    return differences;
  }
}
