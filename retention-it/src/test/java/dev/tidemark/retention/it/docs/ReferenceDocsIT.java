package dev.tidemark.retention.it.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tidemark.retention.core.knob.Knob;
import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.TestDatabase;
import dev.tidemark.retention.sql.QueueGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The reference pages say what the code says. With {@code -Dtidemark.docs=write} the generated
 * parts are written instead of compared.
 */
class ReferenceDocsIT {
  private static final boolean WRITE = "write".equals(System.getProperty("tidemark.docs"));
  private static final Path FUNCTIONS =
      Page.ROOT.resolve("schema/src/main/resources/tidemark/migration/functions");
  private static final Pattern RAISED = Pattern.compile("errcode = '(\\w{5})'");

  /** A row of the tables in errors.md: the code, and the exception in the last cell. */
  private static final Pattern CODE_ROW =
      Pattern.compile("(?m)^\\| `(\\w{5})` \\|.*\\| `(\\w+)` \\|$");

  private static TestDatabase database;
  private static ReferencePages pages;
  private static Sql sql;

  @BeforeAll
  static void open() {
    database = TestDatabase.migrated();
    sql = database.connect();
    pages = new ReferencePages(sql);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @Test
  void functionsAreTheirContractsAndGrants() {
    holds("docs/reference/functions.md", pages.functions());
  }

  @Test
  void queueOptionsAreTheDefaultsAndTheCheck() {
    holds("docs/reference/queue-options.md", pages.queueOptions());
  }

  @Test
  void everyQueueOptionIsExplained() {
    String page = Page.of("docs/reference/queue-options.md").text();
    assertThat(sql.rows("select jsonb_object_keys(queen.queue_option_defaults_v1()) as key"))
        .extracting(option -> "\n## " + option.get("key") + "\n")
        .allMatch(page::contains);
  }

  @Test
  void environmentIsTheKnobs() {
    holds("docs/reference/environment.md", ReferencePages.environment());
  }

  @Test
  void commandsAreTheirUsage() {
    holds("docs/reference/cli.md", ReferencePages.commands());
  }

  private static void holds(String path, String generated) {
    Page page = Page.of(path);
    if (WRITE) {
      page.write(generated);
    }
    assertThat(page.generated())
        .as("%s; write it with -Dtidemark.docs=write, as docs/README.md says", path)
        .isEqualTo(generated);
  }

  @Test
  void everyCodeAFunctionRaisesIsListed() throws IOException {
    Set<String> raised = new TreeSet<>();
    try (Stream<Path> files = Files.list(FUNCTIONS)) {
      for (Path file : files.toList()) {
        RAISED.matcher(Files.readString(file)).results().map(m -> m.group(1)).forEach(raised::add);
      }
    }
    assertThat(codes("Raised by the functions").keySet())
        .containsExactlyInAnyOrderElementsOf(raised);
  }

  @Test
  void everyListedCodeBecomesTheExceptionBesideIt() {
    try (TestDatabase own = TestDatabase.migrated()) {
      Sql owner = own.connect();
      PGSimpleDataSource dataSource = new PGSimpleDataSource();
      dataSource.setUrl(own.url());
      QueueGateway gateway = new QueueGateway(dataSource);
      Map<String, String> codes = codes("Raised by the functions");
      codes.putAll(codes("Raised by the server"));
      codes.forEach(
          (code, exception) -> {
            owner.run(
                "create or replace function queen.log_group_delete_v1(p_queue text, p_group text)"
                    + " returns jsonb language plpgsql as $$ begin raise using errcode = '"
                    + code
                    + "'; end $$");
            assertThat(catchThrowable(() -> gateway.deleteGroup("q", "g")))
                .as(code)
                .extracting(thrown -> thrown.getClass().getSimpleName())
                .isEqualTo(exception);
          });
    }
  }

  private static Map<String, String> codes(String section) {
    Map<String, String> codes =
        CODE_ROW
            .matcher(Page.of("docs/reference/errors.md").section(section))
            .results()
            .collect(Collectors.toMap(m -> m.group(1), m -> m.group(2)));
    assertThat(codes).as("the rows of the section '%s'", section).isNotEmpty();
    return codes;
  }

  @Test
  void everyLinkLeadsSomewhere() {
    assertThat(Page.all()).flatExtracting(Page::brokenLinks).isEmpty();
  }

  @Test
  void everyPageIsInTheIndex() {
    List<Page> indexes = List.of(Page.of("docs/README.md"), Page.of("docs/decisions/README.md"));
    assertThat(Page.all())
        .filteredOn(page -> page.file().startsWith(Page.ROOT.resolve("docs")))
        .filteredOn(page -> indexes.stream().noneMatch(index -> index.linksTo(page)))
        .containsExactly(Page.of("docs/README.md"));
  }

  @Test
  void theEmbeddingExampleIsTheOneThatIsCompiledAndRun() throws IOException {
    String source =
        Files.readString(
            Page.ROOT.resolve(
                "docs/examples/embedding/src/main/java/dev/tidemark/retention/example/EmbeddingBroker.java"));
    String type = source.substring(source.indexOf("public final class"));
    assertThat(Page.of("docs/embedding.md").text()).contains("```java\n" + type + "```");
  }

  @Test
  void readmeNamesBothCommandsAndEveryKnob() {
    String readme = Page.of("README.md").text();
    assertThat(readme).contains("./retention demo", "./mvnw verify");
    assertThat(Stream.of(Knob.values()).map(Knob::variable)).allMatch(readme::contains);
  }
}
