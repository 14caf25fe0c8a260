package dev.tidemark.retention.cli.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Excludes the other commands while a server is looked for, started or stopped. It is held by a
 * thread and not while the server runs; a process that dies lets go of it.
 */
final class StartLock {
  // Static, as the reach of a file lock is the JVM: it does not exclude threads, and closing any
  // second channel on the same file would drop it.
  private static final ConcurrentMap<Path, ReentrantLock> IN_THIS_JVM = new ConcurrentHashMap<>();

  private final ReentrantLock threads;
  private final FileChannel channel;

  private StartLock(ReentrantLock threads, FileChannel channel) {
    this.threads = threads;
    this.channel = channel;
  }

  /** Waits for the lock on a file, which is created if absent; its path must be the real one. */
  static StartLock acquire(Path file, Duration patience) throws IOException {
    Deadline deadline = Deadline.in(patience);
    ReentrantLock threads = IN_THIS_JVM.computeIfAbsent(file, f -> new ReentrantLock());
    lock(threads, file, patience);
    try {
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        lock(channel, file, deadline);
        return new StartLock(threads, channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      threads.unlock();
      throw e;
    }
  }

  private static void lock(ReentrantLock threads, Path file, Duration patience) {
    try {
      if (!threads.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw busy(file);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EmbeddedServerException("interrupted while waiting for " + file, e);
    }
  }

  private static void lock(FileChannel channel, Path file, Deadline deadline) throws IOException {
    // Polled, because a blocking lock cannot be given up.
    FileLock lock = channel.tryLock();
    while (lock == null) {
      if (deadline.passed()) {
        throw busy(file);
      }
      deadline.pause("the lock " + file);
      lock = channel.tryLock();
    }
  }

  private static EmbeddedServerException busy(Path file) {
    return new EmbeddedServerException(
        "another command has been starting or stopping the server for too long: it holds " + file);
  }

  /** Lets go; by the thread that acquired it. */
  void release() throws IOException {
    try {
      channel.close();
    } finally {
      threads.unlock();
    }
  }
}
