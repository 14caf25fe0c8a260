package dev.tidemark.retention.it.fault;

import dev.tidemark.retention.it.support.Sql;
import dev.tidemark.retention.it.support.SqlFailure;
import dev.tidemark.retention.it.support.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A PgBouncer in transaction mode before a server, as its own process. */
final class PgBouncer implements AutoCloseable {
  /** Debian has it where a user's PATH does not look. */
  private static final List<String> PLACES = List.of("/usr/sbin", "/usr/local/sbin");

  private final Process process;
  private final String url;

  private PgBouncer(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  /** The program, if this machine has it. */
  static Optional<Path> program() {
    return Stream.concat(
            Stream.of(System.getenv().getOrDefault("PATH", "").split(":")), PLACES.stream())
        .map(directory -> Path.of(directory, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** With so many connections to the database of this URL, for all of its clients. */
  static PgBouncer before(String jdbcUrl, int connections, Path directory) {
    URI server = URI.create(jdbcUrl.substring("jdbc:".length()));
    int port = Ports.free();
    Path configuration = directory.resolve("pgbouncer.ini");
    try {
      Files.writeString(
          configuration,
          """
          [databases]
          * = host=%s port=%d %s
          [pgbouncer]
          listen_addr = 127.0.0.1
          listen_port = %d
          unix_socket_dir =
          auth_type = any
          pool_mode = transaction
          default_pool_size = %d
          ignore_startup_parameters = extra_float_digits
          """
              .formatted(
                  server.getHost(),
                  server.getPort(),
                  server.getQuery().replace('&', ' '),
                  port,
                  connections));
      Process process =
          new ProcessBuilder(command(configuration))
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("pgbouncer.log").toFile())
              .start();
      PgBouncer bouncer =
          new PgBouncer(
              process,
              "jdbc:postgresql://127.0.0.1:"
                  + port
                  + server.getPath()
                  + "?"
                  + server.getQuery()
                  + "&prepareThreshold=0&assumeMinServerVersion=15");
      Waiting.until("PgBouncer answers", Duration.ofSeconds(30), bouncer::answers);
      return bouncer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** It does not run as root. */
  private static List<String> command(Path configuration) {
    List<String> command = new ArrayList<>(List.of(program().orElseThrow().toString()));
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("-u", "nobody"));
    }
    command.add(configuration.toString());
    return command;
  }

  private boolean answers() {
    if (!process.isAlive()) {
      throw new AssertionError("PgBouncer ended with " + process.exitValue());
    }
    try (Sql sql = Sql.connect(url)) {
      return sql.number("select 1") == 1;
    } catch (SqlFailure notYet) {
      return false;
    }
  }

  /** The database, through it. */
  String url() {
    return url;
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
