package dev.tidemark.retention.cli.embedded;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A command in a JVM of its own: opens the directory it is given, says so on a line, and stays
 * until its input ends. It never closes the server: only its shutdown hook does.
 */
final class EmbeddedServerProgram {
  static final String STARTED = "started";
  static final String JOINED = "joined";

  private EmbeddedServerProgram() {}

  public static void main(String[] arguments) throws IOException {
    EmbeddedServer server = EmbeddedServer.open(Path.of(arguments[0]));
    System.out.println(server.started() ? STARTED : JOINED);
    while (System.in.read() >= 0) {}
  }
}
