package dev.tidemark.retention.cli.embedded;

import java.util.ArrayList;
import java.util.List;

/**
 * Whether the data outlives the server, and so whether PostgreSQL takes the time to make it safe.
 */
enum Storage {
  KEPT(false, "on", List.of()),
  TEMPORARY(true, "off", List.of()),

  /**
   * Gone with the server, but as safe as if kept, since what that costs is measured on it. Memory
   * for the largest table many times over, so that no scan of it goes through a small ring of
   * buffers; WAL for hours, so that checkpoints come only when they are asked for.
   */
  MEASURED(
      true,
      "on",
      List.of(
          "shared_buffers=2GB",
          "maintenance_work_mem=256MB",
          "min_wal_size=2GB",
          "max_wal_size=16GB",
          "checkpoint_timeout=1d"));

  private final boolean temporary;
  private final String durable;
  private final List<String> settings;

  Storage(boolean temporary, String durable, List<String> settings) {
    this.temporary = temporary;
    this.durable = durable;
    this.settings = settings;
  }

  /** Whether the directory goes with the server. */
  boolean temporary() {
    return temporary;
  }

  /**
   * The cluster is the same on every machine: UTF-8, code point order, messages in English.
   * Checksums are always on: they cost little and find a broken disk.
   */
  List<String> initdbArguments(String directory) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-D",
                directory,
                "-U",
                EmbeddedServer.USER,
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--data-checksums",
                "--no-instructions"));
    if (temporary) {
      arguments.add("--no-sync");
    }
    return arguments;
  }

  /**
   * The server's command line. It outranks postgresql.conf, so no edit there makes a kept server
   * lose commits or listen beyond this machine. No character in it is special to a shell: pg_ctl
   * hands it to one.
   */
  String serverOptions(int port) {
    List<String> options =
        new ArrayList<>(
            List.of(
                "-p " + port,
                "listen_addresses=" + EmbeddedServer.HOST,
                "unix_socket_directories=",
                "fsync=" + durable,
                "full_page_writes=" + durable,
                "synchronous_commit=" + durable,
                "timezone=UTC",
                "log_timezone=UTC",
                "max_connections=100"));
    options.addAll(settings);
    return String.join(" -c ", options);
  }
}
