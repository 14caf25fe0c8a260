package dev.tidemark.retention.it.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.retention.cli.Retention;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** Runs the command in this JVM, with the same options before every command. */
public final class Cli {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final List<String> common;

  public Cli(String... common) {
    this.common = List.of(common);
  }

  public Run run(String... arguments) {
    List<String> all = new ArrayList<>(common);
    all.addAll(List.of(arguments));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line =
        Retention.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int code = line.execute(all.toArray(String[]::new));
    return new Run(code, out.toString(), err.toString());
  }

  /** Runs it with --json; the one document it printed. */
  public JsonNode json(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    Run run = run(all.toArray(String[]::new));
    if (run.code() != 0) {
      throw new AssertionError("exit code " + run.code() + ": " + run.err());
    }
    return run.document();
  }

  public record Run(int code, String out, String err) {
    public JsonNode document() {
      try {
        return JSON.readTree(out);
      } catch (JsonProcessingException e) {
        throw new AssertionError("not one JSON document: " + out, e);
      }
    }
  }
}
