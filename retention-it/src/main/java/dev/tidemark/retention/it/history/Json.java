package dev.tidemark.retention.it.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.SortedMap;
import java.util.TreeMap;

/** JSON as the functions take and give it. */
final class Json {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Json() {}

  static String text(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not JSON", e);
    }
  }

  /** The options of a queue that are set. */
  static SortedMap<String, Object> options(Object json) {
    try {
      SortedMap<String, Object> options =
          JSON.readValue(String.valueOf(json), new TypeReference<TreeMap<String, Object>>() {});
      options.values().removeIf(v -> v == null);
      return options;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not JSON", e);
    }
  }

  static Long number(JsonNode node) {
    return node.isNull() ? null : node.asLong();
  }
}
