package dev.tidemark.retention.cli.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileFormatTest {

  @Test
  void theFirstByteDecidesWithoutATellingName() {
    assertThat(FileFormat.detect("events", '[')).isEqualTo(FileFormat.JSON_ARRAY);
    assertThat(FileFormat.detect("events", '{')).isEqualTo(FileFormat.NDJSON);
    assertThat(FileFormat.detect("events", 'p')).isEqualTo(FileFormat.CSV);
    assertThat(FileFormat.detect("events.jsonl", '[')).isEqualTo(FileFormat.JSON_ARRAY);
  }

  @Test
  void aCsvNameWinsOverTheFirstByte() {
    assertThat(FileFormat.detect("x/EVENTS.CSV", '[')).isEqualTo(FileFormat.CSV);
    assertThat(FileFormat.detect("events.csv", '{')).isEqualTo(FileFormat.CSV);
  }

  @Test
  void aJsonNameIsNeverReadAsCsv() {
    assertThat(FileFormat.detect("events.json", 'p')).isEqualTo(FileFormat.NDJSON);
    assertThat(FileFormat.detect("events.jsonl", '"')).isEqualTo(FileFormat.NDJSON);
    assertThat(FileFormat.detect("events.ndjson", 'p')).isEqualTo(FileFormat.NDJSON);
  }

  @Test
  void blanksAndAByteOrderMarkComeBeforeTheFirstByte(@TempDir Path directory) throws IOException {
    Path path = directory.resolve("events");
    Files.writeString(path, "\uFEFF \r\n\t[" + EventFiles.row("a", "\"n\":1") + "]");

    try (EventFile file = EventFile.open(path, EventFiles.FIELDS, EventFiles.ISO)) {
      assertThat(file.format()).isEqualTo(FileFormat.JSON_ARRAY);
      assertThat(EventFiles.drain(file))
          .singleElement()
          .extracting(EventRow::place)
          .hasToString("line 2, row 1");
    }
  }

  @Test
  void aFileThatIsNotThereIsAnIoException(@TempDir Path directory) {
    assertThatThrownBy(
            () ->
                EventFile.open(directory.resolve("none"), EventFiles.FIELDS, EventFiles.ISO)
                    .close())
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void aFileOfNothingOrBlanksHasNoRows() throws IOException {
    for (String name : new String[] {"events", "events.csv", "events.json"}) {
      for (String content : new String[] {"", "\uFEFF", " \r\n\n\t"}) {
        assertThat(EventFiles.rows(name, content.getBytes(StandardCharsets.UTF_8))).isEmpty();
      }
    }
    assertThat(EventFiles.rows("[]")).isEmpty();
    assertThat(EventFiles.rows("[ \n ] \n")).isEmpty();
    assertThat(EventFiles.csv("p,t\r\n")).isEmpty();
  }
}
