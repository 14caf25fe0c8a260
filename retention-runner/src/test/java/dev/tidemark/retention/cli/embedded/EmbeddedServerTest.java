package dev.tidemark.retention.cli.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedServerTest {
  private static final boolean ROOT =
      ProcessHandle.current().info().user().equals(Optional.of("root"));

  /** A stopped cluster with one row, copied where a test is not about making one. */
  @TempDir static Path template;

  @TempDir Path temporary;

  @BeforeAll
  static void makeTheTemplate() throws SQLException {
    try (EmbeddedServer server = EmbeddedServer.open(template)) {
      execute(server, "create table kept (id int)");
      execute(server, "insert into kept values (1)");
    }
  }

  @Test
  void dataSurvivesCloseAndReopenWhateverTheDirectoryIsCalled() throws Exception {
    String name = "it's \"5 $HOME\" `größer` \\ 潮";
    String encoding = System.getProperty("sun.jnu.encoding", "UTF-8");
    assumeTrue(
        Charset.forName(encoding).newEncoder().canEncode(name), "file names are " + encoding);
    Path directory = temporary.resolve("parent").resolve(name);
    long first;
    try (EmbeddedServer server = EmbeddedServer.open(directory)) {
      first = pid(directory);
      execute(server, "create table t (x int)");
      execute(server, "insert into t values (42)");
      assertThat(server.started()).isTrue();
      assertThat(ask(server, "show server_version")).startsWith(DataDirectory.MAJOR_VERSION + ".");
      assertThat(ask(server, "show data_checksums")).isEqualTo("on");
      assertThat(ask(server, "show server_encoding")).isEqualTo("UTF8");
      assertThat(Files.size(directory.resolve("log").resolve("server.log"))).isPositive();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
          .isEqualTo("rwx------");
    }
    assertThat(runs(first)).isFalse();
    try (EmbeddedServer server = EmbeddedServer.open(directory)) {
      assertThat(pid(directory)).isNotEqualTo(first);
      assertThat(ask(server, "select x from t")).isEqualTo("42");
    }
  }

  @Test
  void durabilityAndAddressOutrankTheConfigurationFile() throws Exception {
    Path directory = copyOfTheTemplate();
    Files.writeString(
        directory.resolve("postgresql.auto.conf"),
        "fsync = off\nfull_page_writes = off\nsynchronous_commit = off\nlisten_addresses = '*'\n");
    try (EmbeddedServer server = EmbeddedServer.open(directory)) {
      assertThat(ask(server, "show fsync")).isEqualTo("on");
      assertThat(ask(server, "show full_page_writes")).isEqualTo("on");
      assertThat(ask(server, "show synchronous_commit")).isEqualTo("on");
      assertThat(ask(server, "show listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(ask(server, "show unix_socket_directories")).isEmpty();
      assertThat(ask(server, "show max_connections")).isEqualTo("100");
      // Not by "show": the driver sets the session's own.
      assertThat(Files.readString(directory.resolve("postmaster.opts"))).contains("timezone=UTC");
    }
  }

  @Test
  void theSecondToOpenJoinsAndItsCloseLeavesTheServerRunning() throws Exception {
    Path directory = copyOfTheTemplate();
    EmbeddedServer first = EmbeddedServer.open(directory);
    EmbeddedServer second = EmbeddedServer.open(directory);
    assertThat(second.started()).isFalse();
    assertThat(second.jdbcUrl()).isEqualTo(first.jdbcUrl());
    second.close();
    assertThat(ask(first, "select id from kept")).isEqualTo("1");
    long pid = pid(directory);
    first.close();
    first.close();
    assertThat(runs(pid)).isFalse();
  }

  @Test
  void closingByAnInterruptedThreadStopsTheServerAndKeepsTheInterrupt() throws Exception {
    Path directory = copyOfTheTemplate();
    EmbeddedServer server = EmbeddedServer.open(directory);
    long pid = pid(directory);
    Thread.currentThread().interrupt();
    server.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(runs(pid)).isFalse();
  }

  @Test
  void ofThreadsThatOpenTogetherExactlyOneStarts() throws Exception {
    Path directory = copyOfTheTemplate();
    int threads = 4;
    CyclicBarrier together = new CyclicBarrier(threads);
    Callable<EmbeddedServer> open =
        () -> {
          together.await();
          return EmbeddedServer.open(directory);
        };
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<EmbeddedServer>> opened =
          Stream.generate(() -> pool.submit(open)).limit(threads).toList();
      int started = 0;
      for (Future<EmbeddedServer> each : opened) {
        started += each.get().started() ? 1 : 0;
      }
      for (Future<EmbeddedServer> each : opened) {
        each.get().close();
      }
      assertThat(started).isEqualTo(1);
      assertThat(DataDirectory.at(directory).server()).isEmpty();
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void ofCommandsThatOpenAnAbsentDirectoryTogetherOneStartsAndStopsOnASignal() throws Exception {
    Path directory = temporary.resolve("absent");
    Process one = command(directory);
    Process other = command(directory);
    try (BufferedReader fromOne = one.inputReader(UTF_8);
        BufferedReader fromOther = other.inputReader(UTF_8)) {
      String said = lastLine(fromOne);
      assertThat(List.of(said, lastLine(fromOther)))
          .containsExactlyInAnyOrder(EmbeddedServerProgram.STARTED, EmbeddedServerProgram.JOINED);
      Process starter = said.equals(EmbeddedServerProgram.STARTED) ? one : other;
      Process joiner = starter == one ? other : one;

      joiner.destroy();
      joiner.waitFor();
      assertThat(DataDirectory.at(directory).server()).isPresent();

      starter.destroy();
      starter.waitFor();
      assertThat(DataDirectory.at(directory).server()).isEmpty();
      assertThat(directory.resolve(PostmasterPid.FILE)).doesNotExist();
    } finally {
      one.destroyForcibly();
      other.destroyForcibly();
    }
  }

  @Test
  void theServerOfAKilledCommandIsJoined() throws Exception {
    Path directory = copyOfTheTemplate();
    Process command = command(directory);
    try (BufferedReader from = command.inputReader(UTF_8)) {
      assertThat(lastLine(from)).isEqualTo(EmbeddedServerProgram.STARTED);
    } finally {
      command.destroyForcibly();
    }
    command.waitFor();
    try (EmbeddedServer server = EmbeddedServer.open(directory)) {
      assertThat(server.started()).isFalse();
      assertThat(ask(server, "select id from kept")).isEqualTo("1");
    } finally {
      endServer(directory, false);
    }
  }

  @Test
  void aServerThatWasKilledRecoversWhatWasCommitted() throws Exception {
    Path directory = copyOfTheTemplate();
    EmbeddedServer killed = EmbeddedServer.open(directory);
    execute(killed, "insert into kept values (2)");
    endServer(directory, true);
    assertThat(directory.resolve(PostmasterPid.FILE)).exists();
    try (EmbeddedServer server = EmbeddedServer.open(directory)) {
      assertThat(server.started()).isTrue();
      assertThat(ask(server, "select sum(id) from kept")).isEqualTo("3");
      // It started another server than this one.
      killed.close();
      assertThat(ask(server, "select sum(id) from kept")).isEqualTo("3");
    }
  }

  @Test
  void aStalePidThatAnotherProgramGotIsNoServer() throws Exception {
    Path directory = copyOfTheTemplate();
    Process stranger = new ProcessBuilder("sleep", "600").directory(directory.toFile()).start();
    try {
      writePid(directory, stranger.pid());
      try (EmbeddedServer server = EmbeddedServer.open(directory)) {
        assertThat(server.started()).isTrue();
        assertThat(stranger.isAlive()).isTrue();
      }
    } finally {
      stranger.destroy();
    }
  }

  @Test
  void aCopyOfARunningDirectoryIsNotServedByTheOriginal() throws Exception {
    Path directory = copyOfTheTemplate();
    Path copy = temporary.resolve("copy");
    try (EmbeddedServer original = EmbeddedServer.open(directory)) {
      copyTree(template, copy);
      Files.copy(directory.resolve(PostmasterPid.FILE), copy.resolve(PostmasterPid.FILE));
      try (EmbeddedServer server = EmbeddedServer.open(copy)) {
        assertThat(server.started()).isTrue();
        assertThat(server.jdbcUrl()).isNotEqualTo(original.jdbcUrl());
        execute(server, "delete from kept");
        assertThat(ask(original, "select id from kept")).isEqualTo("1");
      }
    }
  }

  @Test
  void aFirstStartThatWasCutOffIsCompleted() throws Exception {
    Path directory = copyOfTheTemplate();
    Path arriving = Files.createDirectory(directory.resolve(".tidemark.new"));
    for (String name : List.of("base", "global", "PG_VERSION")) {
      Files.move(directory.resolve(name), arriving.resolve(name));
    }
    try (EmbeddedServer server = EmbeddedServer.open(directory)) {
      assertThat(ask(server, "select id from kept")).isEqualTo("1");
      assertThat(arriving).doesNotExist();
    }
  }

  @Test
  void whatAKilledInitdbLeftIsRemoved() throws Exception {
    Path directory = Files.createDirectory(temporary.resolve("half"));
    Path half = Files.createDirectory(directory.resolve(".tidemark.initdb-1"));
    Files.writeString(half.resolve("PG_VERSION"), "17\n");
    try (EmbeddedServer server = EmbeddedServer.open(directory)) {
      assertThat(server.started()).isTrue();
      assertThat(half).doesNotExist();
    }
  }

  @Test
  void aServerThatCannotStartIsExplainedByItsLog() throws Exception {
    Path directory = copyOfTheTemplate();
    Files.writeString(directory.resolve("postgresql.auto.conf"), "no_such_setting = 1\n");
    assertRefused(directory, "did not start", "no_such_setting");
    assertThat(DataDirectory.at(directory).server()).isEmpty();
  }

  @Test
  void aServerThatLetsNobodyInIsStoppedAgain() throws Exception {
    Path directory = copyOfTheTemplate();
    Files.writeString(directory.resolve("pg_hba.conf"), "host all all 127.0.0.1/32 reject\n");
    assertRefused(directory, "does not let postgres in", "pg_hba.conf");
    assertThat(DataDirectory.at(directory).server()).isEmpty();
  }

  @Test
  void aFileIsRefused() throws Exception {
    Path file = Files.writeString(temporary.resolve("file"), "");
    assertRefused(file, "is a file");
    assertRefused(file.resolve("below"), "cannot be created");
  }

  @Test
  void aDirectoryOfOtherThingsIsRefusedAndLeftAlone() throws Exception {
    Path directory = Files.createDirectory(temporary.resolve("full"));
    Files.writeString(directory.resolve("thesis.tex"), "");
    assertRefused(directory, "neither empty nor a PostgreSQL data directory", "thesis.tex");
    try (Stream<Path> entries = Files.list(directory)) {
      assertThat(entries).containsExactly(directory.resolve("thesis.tex"));
    }
  }

  @Test
  void anotherMajorVersionIsRefused() throws Exception {
    Path directory = Files.createDirectory(temporary.resolve("old"));
    Files.writeString(directory.resolve("PG_VERSION"), "9\n");
    assertRefused(directory, "was made by PostgreSQL 9", DataDirectory.MAJOR_VERSION);
  }

  @Test
  void aDirectoryThatIsNotWritableIsRefused() throws Exception {
    assumeFalse(ROOT, "root may write everywhere");
    Path directory = Files.createDirectory(temporary.resolve("read-only"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-xr-x"));
    assertRefused(directory, "is not writable");
  }

  @Test
  void somebodyElsesDirectoryIsRefused() throws Exception {
    assumeTrue(ROOT, "only root can give a directory away");
    Path directory = Files.createDirectory(temporary.resolve("theirs"));
    Files.setAttribute(directory, "unix:uid", 12_345);
    assertRefused(directory, "belongs to 12345");
  }

  @Test
  void aTemporaryServerLeavesNothingBehind() throws Exception {
    Path directory;
    long pid;
    try (EmbeddedServer server = EmbeddedServer.temporary()) {
      directory = Path.of(ask(server, "show data_directory"));
      pid = pid(directory);
      assertThat(server.started()).isTrue();
      assertThat(ask(server, "show fsync")).isEqualTo("off");
    }
    assertThat(directory).doesNotExist();
    assertThat(runs(pid)).isFalse();
  }

  @Test
  void aServerToMeasureOnIsAsDurableAsAKeptOneAndLeavesNothingBehind() throws Exception {
    Path directory;
    try (EmbeddedServer server = EmbeddedServer.measured()) {
      directory = Path.of(ask(server, "show data_directory"));
      assertThat(ask(server, "show fsync")).isEqualTo("on");
      assertThat(ask(server, "show full_page_writes")).isEqualTo("on");
      assertThat(ask(server, "show synchronous_commit")).isEqualTo("on");
      assertThat(ask(server, "show checkpoint_timeout")).isEqualTo("1d");
    }
    assertThat(directory).doesNotExist();
  }

  private static void assertRefused(Path directory, String... because) {
    assertThatExceptionOfType(EmbeddedServerException.class)
        .isThrownBy(() -> EmbeddedServer.open(directory).close())
        .withMessageContaining(directory.toString())
        .satisfies(e -> assertThat(e.getMessage()).contains(because));
  }

  private static long pid(Path directory) throws IOException {
    return PostmasterPid.read(directory).orElseThrow().pid();
  }

  /** A process that has ended may wait for its parent to notice: it has no program any more. */
  private static boolean runs(long pid) {
    return ProcessHandle.of(pid).flatMap(process -> process.info().command()).isPresent();
  }

  private static void writePid(Path directory, long pid) throws IOException {
    Files.write(
        directory.resolve(PostmasterPid.FILE),
        List.of(Long.toString(pid), directory.toString(), "1", "5432", "", "", "", "ready"));
  }

  private static void endServer(Path directory, boolean kill) throws IOException {
    PostmasterPid server = PostmasterPid.read(directory).orElseThrow();
    ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
    assertThat(kill ? process.destroyForcibly() : process.destroy()).isTrue();
    Deadline deadline = Deadline.in(Duration.ofSeconds(20));
    while (server.runsIn(directory)) {
      assertThat(deadline.passed()).isFalse();
      deadline.pause("the server to end");
    }
  }

  private static Process command(Path directory) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            EmbeddedServerProgram.class.getName(),
            directory.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** The command's word, after what its libraries log. */
  private static String lastLine(BufferedReader from) throws IOException {
    String line = from.readLine();
    while (line != null
        && !line.equals(EmbeddedServerProgram.STARTED)
        && !line.equals(EmbeddedServerProgram.JOINED)) {
      line = from.readLine();
    }
    return String.valueOf(line);
  }

  private static void execute(EmbeddedServer server, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl(), server.user(), "");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String ask(EmbeddedServer server, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl(), server.user(), "");
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertThat(row.next()).isTrue();
      return row.getString(1);
    }
  }

  private Path copyOfTheTemplate() throws IOException {
    Path copy = temporary.resolve("data");
    copyTree(template, copy);
    return copy;
  }

  private static void copyTree(Path from, Path to) throws IOException {
    Files.createDirectory(to, PosixFilePermissions.asFileAttribute(DataDirectory.PRIVATE));
    try (Stream<Path> tree = Files.walk(from)) {
      for (Path each : tree.filter(path -> !path.equals(from)).toList()) {
        Files.copy(each, to.resolve(from.relativize(each)));
      }
    }
  }
}
