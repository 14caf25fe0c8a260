package dev.tidemark.retention.cli.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What postmaster.pid tells about the server that wrote it, which may be long gone. */
record PostmasterPid(long pid, int port, boolean ready) {
  static final String FILE = "postmaster.pid";

  // PostgreSQL's own order: pid, directory, start, port, socket directory, address, key, status.
  private static final int PORT_LINE = 3;
  private static final int STATUS_LINE = 7;

  /** Reads the file; one that is absent, or not written to the end yet, tells nothing. */
  static Optional<PostmasterPid> read(Path directory) throws IOException {
    String content;
    try {
      // Bytes as they are: the second line may be in any encoding.
      content = Files.readString(directory.resolve(FILE), StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    List<String> lines = content.lines().map(String::strip).toList();
    if (lines.size() <= PORT_LINE
        || !lines.get(0).matches("\\d{1,9}")
        || !lines.get(PORT_LINE).matches("\\d{1,5}")) {
      return Optional.empty();
    }
    boolean ready = lines.size() > STATUS_LINE && lines.get(STATUS_LINE).equals("ready");
    return Optional.of(
        new PostmasterPid(
            Long.parseLong(lines.get(0)), Integer.parseInt(lines.get(PORT_LINE)), ready));
  }

  /**
   * Whether the process is there and is a PostgreSQL working in that directory, not another program
   * that got its number since. A process that ended but that its parent never collected has no
   * program any more.
   */
  boolean runsIn(Path directory) throws IOException {
    Optional<String> program =
        ProcessHandle.of(pid)
            .filter(ProcessHandle::isAlive)
            .flatMap(process -> process.info().command());
    if (program.isEmpty() || !isPostgres(program.get())) {
      return false;
    }
    // Linux also says which cluster it serves. Where nothing says so, a postgres is believed to be
    // this one: refusing to join is better than a second server on the same files.
    Path workingDirectory = Path.of("/proc", Long.toString(pid), "cwd");
    try {
      return !Files.exists(workingDirectory) || Files.isSameFile(workingDirectory, directory);
    } catch (NoSuchFileException endedMeanwhile) {
      return false;
    }
  }

  /** By prefix: the name ends in "(deleted)" once the file is replaced under a running server. */
  private static boolean isPostgres(String program) {
    return program.substring(program.lastIndexOf('/') + 1).startsWith("postgres");
  }
}
