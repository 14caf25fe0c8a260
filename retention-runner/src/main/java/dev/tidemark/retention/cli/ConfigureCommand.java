package dev.tidemark.retention.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.retention.sql.QueueGateway;
import dev.tidemark.retention.sql.QueueOptions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "configure",
    description = {
      "Create a queue or change its options.",
      "VALUE is a JSON scalar; a bare word is a string; null restores the default. Options that are not named keep their value."
    })
final class ConfigureCommand extends DatabaseCommand {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** A number longer than this is no option; refused before it is written out. */
  private static final int MOST_DIGITS = 100;

  @Parameters(index = "0", paramLabel = "QUEUE")
  private String queue = "";

  @Parameters(index = "1..*", paramLabel = "KEY=VALUE", arity = "0..*")
  private List<String> options = new ArrayList<>();

  @Override
  int run(Database database, Output output) {
    QueueOptions effective =
        new QueueGateway(database.dataSource()).configure(queue, parse(options));
    if (output.isJson()) {
      output.document(new Document(queue, effective));
    } else {
      output.table(
          List.of(
              List.of("queue", queue),
              List.of("namespace", String.valueOf(effective.namespace())),
              List.of("task", String.valueOf(effective.task())),
              List.of("retentionEnabled", String.valueOf(effective.retentionEnabled())),
              List.of("retentionSeconds", String.valueOf(effective.retentionSeconds())),
              List.of(
                  "completedRetentionSeconds",
                  String.valueOf(effective.completedRetentionSeconds())),
              List.of("maxWaitTimeSeconds", String.valueOf(effective.maxWaitTimeSeconds())),
              List.of("dedupWindowSeconds", String.valueOf(effective.dedupWindowSeconds())),
              List.of("leaseTime", String.valueOf(effective.leaseTime())),
              List.of("retryLimit", String.valueOf(effective.retryLimit()))));
    }
    return ExitCode.DONE;
  }

  /**
   * The typed value of each option; the schema decides which keys there are and what they may be.
   */
  static Map<String, @Nullable Object> parse(List<String> options) {
    Map<String, @Nullable Object> parsed = new LinkedHashMap<>();
    for (String option : options) {
      int equals = option.indexOf('=');
      if (equals < 1) {
        throw new UsageException("an option is KEY=VALUE, not '" + option + "'");
      }
      String key = option.substring(0, equals);
      if (parsed.containsKey(key)) {
        throw new UsageException("option " + key + " is given twice");
      }
      parsed.put(key, scalar(key, option.substring(equals + 1)));
    }
    return parsed;
  }

  private static @Nullable Object scalar(String key, String raw) {
    JsonNode node;
    try {
      node = JSON.readTree(raw);
    } catch (JsonProcessingException e) {
      return raw; // A bare word.
    }
    if (node.isContainerNode()) {
      throw new UsageException("option " + key + ": must be a scalar, not " + raw);
    }
    if (node.isNumber()) {
      BigDecimal number = node.decimalValue();
      if (number.precision() > MOST_DIGITS || Math.abs((long) number.scale()) > MOST_DIGITS) {
        throw new UsageException("option " + key + ": no option takes a number like " + raw);
      }
      return number;
    }
    if (node.isBoolean()) {
      return node.booleanValue();
    }
    return node.isNull() ? null : node.isMissingNode() ? raw : node.textValue();
  }

  record Document(String queue, QueueOptions options) {}
}
