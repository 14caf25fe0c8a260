package dev.tidemark.retention.cli.embedded;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs, unpacked from the class path once and kept in the user's cache under the
 * digest of the archive.
 *
 * <p>Only the lookup of the archive and the test for a way to run as root are zonky's. Its
 * EmbeddedPostgres is made for tests: it passes {@code -F} (no fsync), puts the directory between
 * quotes of a shell, gives up after ten seconds, and keeps a thread on the server's output.
 */
final class PostgresBinaries {
  private static final Duration PATIENCE_FOR_UNPACKING = Duration.ofMinutes(2);
  private static final int OWNER_MAY_EXECUTE = 0100;

  private final Path programs;

  private PostgresBinaries(Path programs) {
    this.programs = programs;
  }

  /** What a program said on both streams, and how it ended. */
  record Outcome(int exitCode, String output) {}

  static PostgresBinaries unpacked() throws IOException {
    refuseRootWithoutNamespaces();
    byte[] archive = archive();
    Path cache = cache();
    Path home = cache.resolve("postgresql-" + digest(archive));
    StartLock lock = StartLock.acquire(cache.resolve(".lock"), PATIENCE_FOR_UNPACKING);
    try {
      if (!Files.exists(home)) {
        // Unpacked beside and renamed, so that what is found is complete.
        Path part = cache.resolve("unpacking");
        DataDirectory.deleteTree(part);
        unpack(archive, part);
        Files.move(part, home, StandardCopyOption.ATOMIC_MOVE);
      }
    } finally {
      lock.release();
    }
    return new PostgresBinaries(home.resolve("bin"));
  }

  /**
   * PostgreSQL refuses to run as root. In a user namespace of its own it sees itself as nobody,
   * while the files stay root's; nothing but the name and the privileges change.
   */
  private static void refuseRootWithoutNamespaces() {
    boolean root = ProcessHandle.current().info().user().equals(Optional.of("root"));
    if (root && !LinuxUtils.isUnshareAvailable()) {
      throw new EmbeddedServerException(
          "PostgreSQL does not run as root, and \"unshare -U\" does not work here; use another user");
    }
  }

  private static byte[] archive() throws IOException {
    String system = System.getProperty("os.name", "");
    String machine = System.getProperty("os.arch", "");
    try (InputStream found =
        DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(
            system.startsWith("Mac") ? "Darwin" : system,
            machine.equals("amd64") ? "x86_64" : machine)) {
      return found.readAllBytes();
    } catch (IllegalStateException e) {
      throw new EmbeddedServerException(
          "this build carries no PostgreSQL for " + system + " on " + machine, e);
    }
  }

  /** The user's own cache; a temporary directory where there is no home to write to. */
  private static Path cache() throws IOException {
    Path home = Path.of(System.getProperty("user.home", ""));
    @Nullable String chosen = System.getenv("XDG_CACHE_HOME");
    Path cache;
    if (chosen != null && Path.of(chosen).isAbsolute()) {
      cache = Path.of(chosen, "tidemark");
    } else if (home.isAbsolute() && Files.isWritable(home)) {
      cache = home.resolve(".cache").resolve("tidemark");
    } else {
      String user = ProcessHandle.current().info().user().orElse("nobody");
      cache = Path.of(System.getProperty("java.io.tmpdir", "/tmp"), "tidemark-" + user);
    }
    if (!Files.isDirectory(cache)) {
      Files.createDirectories(cache, PosixFilePermissions.asFileAttribute(DataDirectory.PRIVATE));
    }
    refuseOthersCache(cache);
    return cache.toRealPath();
  }

  /** Programs are run from there: nobody else may have put them. */
  private static void refuseOthersCache(Path cache) throws IOException {
    String owner = Files.getOwner(cache).getName();
    Optional<String> user = ProcessHandle.current().info().user();
    if (user.isPresent() && !user.get().equals(owner)) {
      throw new EmbeddedServerException(
          cache + ", where PostgreSQL is unpacked, belongs to " + owner + ", not " + user.get());
    }
  }

  private static String digest(byte[] archive) {
    try {
      byte[] sha = MessageDigest.getInstance("SHA-256").digest(archive);
      return HexFormat.of().formatHex(sha, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static void unpack(byte[] archive, Path target) throws IOException {
    try (TarArchiveInputStream entries =
        new TarArchiveInputStream(new XZInputStream(new ByteArrayInputStream(archive)))) {
      for (@Nullable TarArchiveEntry entry = entries.getNextEntry();
          entry != null;
          entry = entries.getNextEntry()) {
        Path file = target.resolve(entry.getName()).normalize();
        if (!file.startsWith(target)) {
          throw new IOException("the archive reaches outside: " + entry.getName());
        }
        if (entry.isDirectory()) {
          Files.createDirectories(file);
          continue;
        }
        Files.createDirectories(file.resolveSibling("."));
        if (entry.isSymbolicLink()) {
          Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
        } else {
          Files.copy(entries, file);
          if ((entry.getMode() & OWNER_MAY_EXECUTE) != 0) {
            Files.setPosixFilePermissions(file, DataDirectory.PRIVATE);
          }
        }
      }
    }
  }

  /** Runs a program to its end. Relative paths among the arguments start at the directory. */
  Outcome run(Path directory, String program, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    if (LinuxUtils.isUnshareAvailable()) {
      command.addAll(List.of("unshare", "-U"));
    }
    command.add(programs.resolve(program).toString());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true);
    // The caller's settings for libpq and its language are none of the server's business.
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("PG"));
    environment.put("LC_ALL", "C");
    Process process = builder.start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    // Not interruptible: pg_ctl may have a server to show for itself, which must not be lost.
    return new Outcome(process.onExit().join().exitValue(), output);
  }
}
