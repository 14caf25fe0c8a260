package dev.tidemark.retention.it.support;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The server that comes with the build. */
final class EmbeddedServer {
  private EmbeddedServer() {}

  /** Starts it; the URL of an administrator. */
  static String start() {
    try {
      EmbeddedPostgres server =
          EmbeddedPostgres.builder().setServerConfig("max_connections", "200").start();
      return server.getJdbcUrl("postgres", "postgres");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start the embedded PostgreSQL", e);
    }
  }
}
