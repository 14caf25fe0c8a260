package dev.tidemark.retention.it.support;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The three ways to push, which promise the same. Each puts the same words as one segment into
 * every one of its {@link #partitions()} and answers once for each.
 */
public enum PushBy {
  ONE("p"),
  MULTI("p", "q"),
  WIRE("p", "q");

  private final List<String> partitions;

  PushBy(String... partitions) {
    this.partitions = List.of(partitions);
  }

  public List<String> partitions() {
    return partitions;
  }

  public List<JsonNode> push(Sql session, String queue, String... words) {
    return switch (this) {
      case ONE -> List.of(new TestPush(session).push(queue, partitions.get(0), words));
      case MULTI -> each(multi(session, queue, words));
      case WIRE -> each(wire(session, queue, words));
    };
  }

  private static JsonNode multi(Sql session, String queue, String... words) {
    byte[] hashes = TestPush.hashes(words);
    byte[] blob = TestPush.blob(words);
    return session.json(
        "select queen.log_push_multi_v1(array[?::text, ?::text], '{p,q}', array[?::int, ?::int],"
            + " array[?::bytea, ?::bytea], '{null,null}', array[?::bytea, ?::bytea])",
        queue,
        queue,
        words.length,
        words.length,
        hashes,
        hashes,
        blob,
        blob);
  }

  private static JsonNode wire(Sql session, String queue, String... words) {
    String push =
        "{\"queue\":\"%s\",\"partition\":\"%s\",\"msgCount\":%d,\"hashes\":\"%s\",\"blob\":\"%s\"}";
    String hashes = TestPush.base64(TestPush.hashes(words));
    String blob = TestPush.base64(TestPush.blob(words));
    JsonNode answer =
        session.json(
            "select queen.log_transaction_wire_v1(?::jsonb)",
            "{\"pushes\":["
                + push.formatted(queue, "p", words.length, hashes, blob)
                + ","
                + push.formatted(queue, "q", words.length, hashes, blob)
                + "]}");
    return answer.get("status").asText().equals("committed")
        ? answer.get("pushes")
        : refusals(answer);
  }

  /** The duplicates of a transaction, as a push of several partitions would have named them. */
  private static JsonNode refusals(JsonNode answer) {
    ArrayNode refusals = JsonNodeFactory.instance.arrayNode();
    for (int push = 0; push < 2; push++) {
      ObjectNode refusal = refusals.addObject();
      ArrayNode dups = refusal.putArray("dups");
      for (JsonNode dup : answer.get("dups")) {
        if (dup.get("push").asInt() == push) {
          dups.add(((ObjectNode) dup.deepCopy()).without("push"));
        }
      }
      refusal.set("status", answer.get("status"));
    }
    return refusals;
  }

  private static List<JsonNode> each(JsonNode answers) {
    List<JsonNode> each = new ArrayList<>();
    answers.forEach(each::add);
    return each;
  }
}
