package dev.tidemark.retention.cli.embedded;

import java.util.ArrayList;
import java.util.List;

/**
 * Whether the data outlives the server, and so whether PostgreSQL takes the time to make it safe.
 */
enum Storage {
  KEPT("on"),
  TEMPORARY("off");

  private final String durable;

  Storage(String durable) {
    this.durable = durable;
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
    if (this == TEMPORARY) {
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
    return String.join(
        " -c ",
        "-p " + port,
        "listen_addresses=" + EmbeddedServer.HOST,
        "unix_socket_directories=",
        "fsync=" + durable,
        "full_page_writes=" + durable,
        "synchronous_commit=" + durable,
        "timezone=UTC",
        "log_timezone=UTC",
        "max_connections=100");
  }
}
