package dev.tidemark.retention.cli.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory that is the data directory of a PostgreSQL, or may become one: what is in it, and
 * whether this program may touch it. Nothing is written to a directory that is refused.
 */
final class DataDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

  /** The PostgreSQL this build carries; EmbeddedServerTest compares it with the real one. */
  static final String MAJOR_VERSION = "17";

  static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");

  private static final String OURS = ".tidemark";
  private static final String LOCK = OURS + ".lock";
  private static final String UNFINISHED = OURS + ".initdb-";
  private static final String FINISHED = OURS + ".new";
  private static final String VERSION = "PG_VERSION";
  private static final int NAMES_SHOWN = 3;

  private final Path path;

  private DataDirectory(Path path) {
    this.path = path;
  }

  /** Creates the directory if it is absent. */
  static DataDirectory at(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      create(directory);
    }
    DataDirectory found = new DataDirectory(directory.toRealPath());
    found.refuseForeign();
    return found;
  }

  private static void create(Path directory) {
    if (Files.exists(directory)) {
      throw new EmbeddedServerException(
          directory
              + " is a file; the embedded server needs a directory, absent or empty or its own");
    }
    try {
      @Nullable Path parent = directory.toAbsolutePath().getParent();
      if (parent != null && !Files.isDirectory(parent)) {
        Files.createDirectories(parent);
      }
      FileAttribute<?> onlyOwner = PosixFilePermissions.asFileAttribute(PRIVATE);
      Files.createDirectories(directory, onlyOwner);
    } catch (IOException e) {
      throw new EmbeddedServerException(
          directory + " does not exist and cannot be created: " + e, e);
    }
  }

  private void refuseForeign() throws IOException {
    String owner = Files.getOwner(path).getName();
    Optional<String> user = ProcessHandle.current().info().user();
    // Root too: PostgreSQL gives up root's privileges, and files of two owners would mix.
    if (user.isPresent() && !user.get().equals(owner)) {
      throw new EmbeddedServerException(
          path + " belongs to " + owner + "; this is " + user.get() + ", use the same user");
    }
    if (!Files.isReadable(path) || !Files.isWritable(path) || !Files.isExecutable(path)) {
      throw new EmbeddedServerException(
          path + " is not writable; the embedded server keeps its data there");
    }
    // In this order: another command may be moving a new cluster in, see initialise().
    List<String> names = names(path);
    List<String> foreign = names.stream().filter(name -> !name.startsWith(OURS)).toList();
    boolean arriving = Files.exists(path.resolve(FINISHED));
    if (initialised()) {
      refuseOtherVersion();
    } else if (!foreign.isEmpty() && !arriving) {
      throw new EmbeddedServerException(
          path
              + " is neither empty nor a PostgreSQL data directory: it holds "
              + String.join(", ", foreign.subList(0, Math.min(NAMES_SHOWN, foreign.size())))
              + (foreign.size() > NAMES_SHOWN ? ", ..." : "")
              + "; name an absent or an empty directory");
    }
  }

  private void refuseOtherVersion() throws IOException {
    String version = Files.readString(path.resolve(VERSION)).strip();
    if (!version.equals(MAJOR_VERSION)) {
      throw new EmbeddedServerException(
          path
              + " was made by PostgreSQL "
              + version
              + "; this build carries PostgreSQL "
              + MAJOR_VERSION
              + " and opens no other");
    }
  }

  Path path() {
    return path;
  }

  Path log() {
    return path.resolve("log").resolve("server.log");
  }

  StartLock lock(Duration patience) throws IOException {
    return StartLock.acquire(path.resolve(LOCK), patience);
  }

  boolean initialised() {
    return Files.exists(path.resolve(VERSION));
  }

  /** The server that runs here now. */
  Optional<PostmasterPid> server() throws IOException {
    Optional<PostmasterPid> written = PostmasterPid.read(path);
    return written.isPresent() && written.get().runsIn(path) ? written : Optional.empty();
  }

  /**
   * Removes a postmaster.pid whose number another process has got since: PostgreSQL cannot tell and
   * would refuse to start. One whose process is gone is left to PostgreSQL, which then also looks
   * for orphans. The lock must be held.
   */
  void forgetReusedPid() throws IOException {
    Optional<PostmasterPid> written = PostmasterPid.read(path);
    if (written.isPresent()
        && ProcessHandle.of(written.get().pid()).isPresent()
        && !written.get().runsIn(path)) {
      Files.delete(path.resolve(PostmasterPid.FILE));
    }
  }

  /**
   * Makes the cluster, unless it is there. The lock must be held.
   *
   * <p>initdb wants a directory of its own, and may be killed half way, or outlive this command. So
   * it works in a new one beside the lock file, which is renamed when it is done and then moved up
   * entry by entry, {@value #VERSION} last: whatever interrupts this, the next start repeats or
   * completes it.
   */
  void initialise(PostgresBinaries binaries, Storage storage) throws IOException {
    if (initialised()) {
      return;
    }
    Files.setPosixFilePermissions(path, PRIVATE);
    Path finished = path.resolve(FINISHED);
    if (!Files.exists(finished)) {
      removeUnfinished();
      Path unfinished = Files.createTempDirectory(path, UNFINISHED);
      PostgresBinaries.Outcome outcome =
          binaries.run(
              path, "initdb", storage.initdbArguments(unfinished.getFileName().toString()));
      if (outcome.exitCode() != 0) {
        throw new EmbeddedServerException(
            "initdb could not make a cluster in " + path + ": " + outcome.output());
      }
      Files.move(unfinished, finished);
    }
    for (String name : names(finished)) {
      if (!name.equals(VERSION)) {
        Files.move(finished.resolve(name), path.resolve(name));
      }
    }
    Files.move(finished.resolve(VERSION), path.resolve(VERSION));
    Files.delete(finished);
    // The renames, too, must outlive a power cut.
    try (FileChannel directory = FileChannel.open(path, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private void removeUnfinished() throws IOException {
    for (String name : names(path)) {
      if (name.startsWith(UNFINISHED)) {
        try {
          deleteTree(path.resolve(name));
        } catch (IOException e) {
          LOG.debug("{} may still be written to by the initdb of a killed command", name, e);
        }
      }
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  /** Deletes a directory with all that is in it, or nothing if it is absent. */
  static void deleteTree(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
