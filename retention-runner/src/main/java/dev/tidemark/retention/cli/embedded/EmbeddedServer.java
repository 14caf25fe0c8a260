package dev.tidemark.retention.cli.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL in a directory: started, or joined if a command on this machine already runs it
 * there. The command that started it stops it, by {@link #close} or when its JVM ends; the others
 * lose their connections then. A command that was killed leaves its server running, and the next
 * one joins that. Nothing is migrated here.
 *
 * <p>The directory is an ordinary data directory, private to its owner, with the server's own
 * output in {@code log/server.log}. What was committed survives a crash: fsync, full_page_writes
 * and synchronous_commit are on, whatever postgresql.conf says.
 *
 * <p>There is no password. The server listens on {@value #HOST} alone, on a port that changes with
 * every start, and trusts every local user that finds it: it is no place for data that other users
 * of the machine must not see.
 *
 * <p>Thread-safe; the caller owns it and closes it after its own connections.
 */
public final class EmbeddedServer implements AutoCloseable {
  static final String HOST = "127.0.0.1";
  static final String USER = "postgres";

  /** More than a start takes, since another command's start is what the lock waits for. */
  static final Duration PATIENCE_FOR_OTHERS = OwnServer.PATIENCE_FOR_START.plusMinutes(1);

  private static final String CANNOT_CONNECT_NOW = "57P03";

  private final int port;
  private final @Nullable OwnServer own;

  private EmbeddedServer(int port, @Nullable OwnServer own) {
    this.port = port;
    this.own = own;
  }

  /**
   * Starts or joins the server of a directory, which is created if absent.
   *
   * @throws EmbeddedServerException if the directory is a file, not writable or somebody else's, if
   *     it holds anything but a cluster of the carried major version, or if the server cannot be
   *     started or joined
   */
  public static EmbeddedServer open(Path directory) {
    return open(directory, Storage.KEPT);
  }

  /** Starts a server whose directory goes when it is closed, and which therefore skips fsync. */
  public static EmbeddedServer temporary() {
    return inTemporaryDirectory(Storage.TEMPORARY);
  }

  /**
   * Starts a server to measure on: its directory goes when it is closed, but it is as durable as
   * one that is kept, and has memory and WAL for large tables.
   */
  public static EmbeddedServer measured() {
    return inTemporaryDirectory(Storage.MEASURED);
  }

  private static EmbeddedServer inTemporaryDirectory(Storage storage) {
    Path directory;
    try {
      directory = Files.createTempDirectory("tidemark-");
    } catch (IOException e) {
      throw new EmbeddedServerException("no temporary directory for PostgreSQL: " + e, e);
    }
    try {
      return open(directory, storage);
    } catch (RuntimeException e) {
      try {
        DataDirectory.deleteTree(directory);
      } catch (IOException left) {
        e.addSuppressed(left);
      }
      throw e;
    }
  }

  private static EmbeddedServer open(Path path, Storage storage) {
    try {
      DataDirectory directory = DataDirectory.at(path);
      StartLock lock = directory.lock(PATIENCE_FOR_OTHERS);
      try {
        Optional<PostmasterPid> other = awaitOther(directory);
        return other.isPresent()
            ? new EmbeddedServer(other.get().port(), null)
            : start(directory, storage);
      } finally {
        lock.release();
      }
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot run PostgreSQL in " + path + ": " + e, e);
    }
  }

  private static EmbeddedServer start(DataDirectory directory, Storage storage) throws IOException {
    PostgresBinaries binaries = PostgresBinaries.unpacked();
    directory.initialise(binaries, storage);
    directory.forgetReusedPid();
    OwnServer own = new OwnServer(directory, binaries, storage);
    PostmasterPid server = own.start();
    return new EmbeddedServer(server.port(), own);
  }

  /** The server that runs there already, once it takes connections; empty if none, or no more. */
  private static Optional<PostmasterPid> awaitOther(DataDirectory directory) throws IOException {
    Deadline deadline = Deadline.in(OwnServer.PATIENCE_FOR_START);
    while (true) {
      Optional<PostmasterPid> other = directory.server();
      if (other.isEmpty()) {
        return other;
      }
      if (other.get().ready() || deadline.passed()) {
        try {
          ServerProbe.verify(directory, other.get());
          return other;
        } catch (SQLException e) {
          boolean changing =
              CANNOT_CONNECT_NOW.equals(e.getSQLState()) || !other.equals(directory.server());
          if (!changing || deadline.passed()) {
            throw ServerProbe.unusable(directory, other.get(), e);
          }
        }
      }
      deadline.pause("the PostgreSQL in " + directory.path());
    }
  }

  /** Names no user, since a user in the URL would outrank the one given with it. */
  public String jdbcUrl() {
    return ServerProbe.url(port);
  }

  /** The superuser; it has no password. */
  public String user() {
    return USER;
  }

  /** Whether this command started the server, and so will stop it. */
  public boolean started() {
    return own != null;
  }

  /** Runs an action when the JVM ends, before the server is stopped, if this command started it. */
  public void beforeStop(Runnable action) {
    if (own != null) {
      own.beforeStop(action);
    }
  }

  /** Stops the server, and waits until it is gone, if this command started it. Repeatable. */
  @Override
  public void close() {
    if (own == null) {
      return;
    }
    try {
      own.stop();
    } catch (UncheckedIOException e) {
      throw new EmbeddedServerException(e.getMessage() + ": " + e.getCause(), e);
    }
  }
}
