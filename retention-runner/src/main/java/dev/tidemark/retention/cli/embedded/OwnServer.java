package dev.tidemark.retention.cli.embedded;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server this command starts, and therefore stops: by {@link #stop}, or when the JVM ends by
 * itself or by a signal. Both happen under this object's monitor, so a signal during the start
 * waits for it and then stops the server.
 */
final class OwnServer {
  private static final Logger LOG = LoggerFactory.getLogger(OwnServer.class);

  /** Only crash recovery needs more than seconds; it has to redo about a gigabyte at most. */
  static final Duration PATIENCE_FOR_START = Duration.ofMinutes(2);

  private static final Duration PATIENCE_FOR_STOP = Duration.ofMinutes(1);
  private static final String ENDING = "not starting PostgreSQL: this command is ending";
  private static final long LOG_KEPT_BYTES = 10_000_000;
  private static final int LOG_TAIL_BYTES = 4_000;

  private final DataDirectory directory;
  private final PostgresBinaries binaries;
  private final Storage storage;
  private final Thread hook = new Thread(this::end, "embedded-postgres-stop");
  private volatile Runnable beforeStop = () -> {};
  private @Nullable PostmasterPid running;
  private boolean stopped;

  OwnServer(DataDirectory directory, PostgresBinaries binaries, Storage storage) {
    this.directory = directory;
    this.binaries = binaries;
    this.storage = storage;
  }

  /** Starts the server and waits until it takes connections. The lock must be held. */
  PostmasterPid start() throws IOException {
    // Before the start: a signal must find the hook from the first moment there is a server.
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      throw new EmbeddedServerException(ENDING, e);
    }
    try {
      return startHooked();
    } catch (IOException | RuntimeException e) {
      forgetHook();
      throw e;
    }
  }

  private synchronized PostmasterPid startHooked() throws IOException {
    if (stopped) {
      throw new EmbeddedServerException(ENDING);
    }
    rotateLog();
    Deadline deadline = Deadline.in(PATIENCE_FOR_START);
    while (true) {
      int port = freePort();
      long logged = Files.exists(directory.log()) ? Files.size(directory.log()) : 0;
      PostgresBinaries.Outcome outcome =
          binaries.run(directory.path(), "pg_ctl", startArguments(port));
      Optional<PostmasterPid> server = directory.server();
      if (outcome.exitCode() == 0 && server.isPresent()) {
        return verified(server.get());
      }
      String said = logTail(logged);
      // Another port is another's: a start that outlived its command.
      if (server.isPresent() && server.get().port() == port) {
        stopNow(server.get());
      }
      // Either passes: somebody took the port first, or processes of a killed server still end.
      boolean passing = !isFree(port) || said.contains("pre-existing shared memory block");
      if (!passing || deadline.passed()) {
        throw new EmbeddedServerException(
            "PostgreSQL did not start in "
                + directory.path()
                + ": "
                + outcome.output()
                + "\nThe end of "
                + directory.log()
                + ":\n"
                + said);
      }
      deadline.pause("PostgreSQL to start in " + directory.path());
    }
  }

  private PostmasterPid verified(PostmasterPid server) throws IOException {
    try {
      ServerProbe.verify(directory, server);
    } catch (SQLException | IOException | RuntimeException e) {
      stopNow(server);
      throw ServerProbe.unusable(directory, server, e);
    }
    running = server;
    return server;
  }

  /** Relative paths only: pg_ctl puts them between the quotes of a shell. */
  private List<String> startArguments(int port) {
    return List.of(
        "start",
        "-D",
        ".",
        "-l",
        directory.path().relativize(directory.log()).toString(),
        "-w",
        "-t",
        Long.toString(PATIENCE_FOR_START.toSeconds()),
        "-o",
        storage.serverOptions(port));
  }

  void beforeStop(Runnable action) {
    beforeStop = action;
  }

  /** The JVM ends: hooks run side by side, so what needs the server until then runs here. */
  private void end() {
    try {
      beforeStop.run();
    } finally {
      stop();
    }
  }

  /** Stops the server if it still runs, and waits for its end. Once; later calls do nothing. */
  synchronized void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    forgetHook();
    if (running == null) {
      return;
    }
    // An interrupted command stops its server all the same.
    boolean interrupted = Thread.interrupted();
    try {
      StartLock lock = directory.lock(EmbeddedServer.PATIENCE_FOR_OTHERS);
      try {
        if (running.runsIn(directory.path())) {
          stopNow(running);
        }
      } finally {
        lock.release();
      }
      if (storage.temporary()) {
        DataDirectory.deleteTree(directory.path());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot stop PostgreSQL in " + directory.path(), e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void stopNow(PostmasterPid server) throws IOException {
    // pg_ctl only sends the signal, again if a second Ctrl-C killed it first: the server does not
    // get those, so its end is watched from here.
    PostgresBinaries.Outcome outcome = signalFastStop();
    Deadline deadline = Deadline.in(PATIENCE_FOR_STOP);
    while (server.runsIn(directory.path())) {
      if (deadline.passed()) {
        throw new EmbeddedServerException(
            "PostgreSQL (pid "
                + server.pid()
                + ") in "
                + directory.path()
                + " does not stop: "
                + outcome.output());
      }
      deadline.pause("PostgreSQL to stop in " + directory.path());
      if (outcome.exitCode() != 0) {
        outcome = signalFastStop();
      }
    }
  }

  private PostgresBinaries.Outcome signalFastStop() throws IOException {
    return binaries.run(directory.path(), "pg_ctl", List.of("stop", "-D", ".", "-m", "fast", "-W"));
  }

  private void forgetHook() {
    if (Thread.currentThread() == hook) {
      return;
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      LOG.debug("The JVM is ending: the hook stays and will find nothing to do", e);
    }
  }

  private void rotateLog() throws IOException {
    Path log = directory.log();
    Files.createDirectories(log.resolveSibling("."));
    if (Files.exists(log) && Files.size(log) > LOG_KEPT_BYTES) {
      Files.move(log, log.resolveSibling("server.log.1"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private String logTail(long from) throws IOException {
    if (!Files.exists(directory.log())) {
      return "";
    }
    try (RandomAccessFile log = new RandomAccessFile(directory.log().toFile(), "r")) {
      log.seek(Math.min(log.length(), Math.max(from, log.length() - LOG_TAIL_BYTES)));
      byte[] tail = new byte[(int) (log.length() - log.getFilePointer())];
      log.readFully(tail);
      return new String(tail, StandardCharsets.UTF_8).strip();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, loopback())) {
      return socket.getLocalPort();
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, loopback())) {
      return socket.isBound();
    } catch (IOException e) {
      LOG.debug("Port {} was taken before PostgreSQL could", port, e);
      return false;
    }
  }

  /** {@link EmbeddedServer#HOST}, not the system's idea of a loopback address. */
  private static InetAddress loopback() throws UnknownHostException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }
}
