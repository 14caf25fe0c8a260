package dev.tidemark.retention.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.Console;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;

/**
 * What a command prints: one JSON document, or lines and tables for a person; progress only where a
 * person watches.
 */
final class Output {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .registerModule(
              new SimpleModule().addSerializer(Instant.class, ToStringSerializer.instance));

  private static final int GAP = 2;
  private static final long PROGRESS_NANOS = 100_000_000;
  private static final boolean TERMINAL = isTerminal(System.console());

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;
  private volatile long progressAt = System.nanoTime() - PROGRESS_NANOS;

  Output(CommandLine command, boolean json) {
    this.out = command.getOut();
    this.err = command.getErr();
    this.json = json;
  }

  boolean isJson() {
    return json;
  }

  void document(Object value) {
    try {
      out.println(JSON.writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a result that is no JSON", e);
    }
    out.flush();
  }

  void line(String text) {
    out.println(printable(text));
    out.flush();
  }

  /** A name may hold anything; a newline in it must not tear a line or a table apart. */
  private static String printable(String text) {
    return text.replaceAll("\\p{Cntrl}", "\uFFFD");
  }

  /** For the person at the terminal, beside the result. */
  void note(String text) {
    err.println(text);
    err.flush();
  }

  /** Whether a person watches, so that what changes may be drawn over itself. */
  boolean isWatched() {
    return TERMINAL && !json;
  }

  /** Text for a terminal, with what steers it. */
  void draw(String text) {
    out.print(text);
    out.flush();
  }

  /**
   * A progress line that overwrites itself, on a terminal only and not too often; {@code text}
   * empty = wipe it.
   */
  void progress(String text) {
    if (isWatched() && (text.isEmpty() || System.nanoTime() - progressAt > PROGRESS_NANOS)) {
      progressAt = System.nanoTime();
      err.print("\r\u001b[K" + text);
      err.flush();
    }
  }

  /**
   * From JDK 22 on there is a console in a pipe too, and only this method, which 17 does not have,
   * tells.
   */
  private static boolean isTerminal(@Nullable Console console) {
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  /** A table whose first row is its heading, columns as wide as their widest cell. */
  void table(List<List<String>> rows) {
    int columns = rows.get(0).size();
    Column[] widths = new Column[columns];
    for (int c = 0; c < columns; c++) {
      int column = c;
      int widest = rows.stream().mapToInt(r -> r.get(column).length()).max().orElse(0);
      widths[c] = new Column(widest + GAP, 0, Column.Overflow.SPAN);
    }
    TextTable table = TextTable.forColumns(CommandLine.Help.defaultColorScheme(Ansi.OFF), widths);
    rows.forEach(
        row -> table.addRowValues(row.stream().map(Output::printable).toArray(String[]::new)));
    out.print(table);
    out.flush();
  }
}
