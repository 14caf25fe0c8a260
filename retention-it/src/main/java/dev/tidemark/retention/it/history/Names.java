package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Address;
import dev.tidemark.retention.it.support.TestPush;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What a story calls the partitions and the messages that the server knows by ids and hashes. */
final class Names {
  private final Map<UUID, String> partitions = new LinkedHashMap<>();
  private final Map<Address, Integer> given = new HashMap<>();
  private final Map<String, String> words = new HashMap<>();
  private int messages;

  /** The second partition of an address has a number behind it, and so on. */
  void give(UUID id, Address address) {
    if (!partitions.containsKey(id)) {
      int nr = given.merge(address, 1, Integer::sum);
      partitions.put(id, nr == 1 ? address.toString() : address + " no. " + nr);
    }
  }

  String of(UUID id) {
    return partitions.getOrDefault(id, String.valueOf(id));
  }

  UUID[] ids() {
    return partitions.keySet().toArray(UUID[]::new);
  }

  /** Messages that there were none of before. */
  List<String> newWords(int count) {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String word = "m" + messages++;
      words.put(HexFormat.of().formatHex(TestPush.hashes(word)), word);
      made.add(word);
    }
    return made;
  }

  /** What {@link TestPush#blob} was made of. */
  static List<String> wordsIn(byte[] blob) {
    return List.of(new String(blob, StandardCharsets.UTF_8).split(" ", -1));
  }

  /** What these hashes stand for. */
  List<String> words(byte[] hashes) {
    List<String> found = new ArrayList<>();
    for (int at = 0; at < hashes.length; at += 16) {
      String hash =
          HexFormat.of()
              .formatHex(Arrays.copyOfRange(hashes, at, Math.min(at + 16, hashes.length)));
      found.add(words.getOrDefault(hash, hash));
    }
    return found;
  }
}
