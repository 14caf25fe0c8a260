package dev.tidemark.retention.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What cannot be written, or is not meant, is refused before a server is started. */
class BenchCommandTest {
  private static final String COMMENTS =
      "<!-- results of: retention bench -->\n<!-- end of the results -->\n";

  @TempDir private Path directory;

  @Test
  void plotsThatCannotBeWrittenAreRefused() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");

    for (String charts : List.of(file.toString(), file.resolve("sub").toString(), "")) {
      refused(
          "--charts: must be a directory that can be made or written, not '" + charts + "'",
          "--charts",
          charts);
    }
  }

  @Test
  void aPageThatIsNoneOrCannotBeWrittenIsRefused() throws IOException {
    Path latin = Files.write(directory.resolve("latin.md"), new byte[] {(byte) 0xE9, '\n'});
    Path text = Files.writeString(directory.resolve("page.txt"), COMMENTS);
    Path noName = Files.writeString(directory.resolve(".md"), COMMENTS);

    for (String page :
        List.of("/", "", "nowhere.md", latin.toString(), text.toString(), noName.toString())) {
      refused(
          "--report: must be a Markdown page with the two comments for results, and writable, not '"
              + page
              + "'",
          "--soak",
          "--report",
          page);
    }
  }

  @Test
  void aPageWhosePlotsHaveNoPlaceIsRefused() throws IOException {
    Path page = Files.writeString(directory.resolve("page.md"), COMMENTS);
    Path inTheWay = Files.writeString(directory.resolve("page"), "");

    refused(
        "--report: must have a directory for plots beside it that can be made or written, not '"
            + inTheWay
            + "'",
        "--soak",
        "--report",
        page.toString());
    assertThat(page).hasContent(COMMENTS);
  }

  @Test
  void aPageOfSomeRowsIsRefusedSinceItWouldLoseTheOthers() throws IOException {
    String page = Files.writeString(directory.resolve("page.md"), COMMENTS).toString();
    String says =
        "--report: replaces all results of the page, so it needs every row: give --soak and no --rows";

    refused(says, "--report", page);
    refused(says, "--soak", "--rows", "wide,deep", "--report", page);
    assertThat(directory).isDirectoryNotContaining("glob:**/page");
  }

  @Test
  void minutesOfASoakThatIsNotAskedForAreRefused() {
    refused(
        "--soak-minutes: says how long the soak lasts, so it needs --soak too",
        "--soak-minutes",
        "10");
  }

  /** One line; with --json one document too, and nothing else. */
  private static void refused(String says, String... arguments) {
    Run run = Run.of(Stream.concat(Stream.of("bench"), Stream.of(arguments)).toList());
    assertThat(run.err).isEqualTo("retention bench: " + says + System.lineSeparator());
    assertThat(run.out).isEmpty();
    assertThat(run.code).isEqualTo(2);

    List<String> asJson = new ArrayList<>(List.of("--json", "bench"));
    asJson.addAll(List.of(arguments));
    Run json = Run.of(asJson);
    assertThat(json.code).isEqualTo(2);
    assertThat(error(json.out)).isEqualTo(says);
  }

  private static String error(String document) {
    try {
      return new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .readTree(document)
          .get("error")
          .asText();
    } catch (JsonProcessingException e) {
      throw new AssertionError("not one JSON document: " + document, e);
    }
  }

  private record Run(int code, String out, String err) {
    static Run of(List<String> arguments) {
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      CommandLine line =
          Retention.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
      int code = line.execute(arguments.toArray(String[]::new));
      return new Run(code, out.toString(), err.toString());
    }
  }
}
