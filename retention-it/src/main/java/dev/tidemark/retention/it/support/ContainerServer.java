package dev.tidemark.retention.it.support;

import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/** A server in a container, of the image that {@code tidemark.image} names. */
final class ContainerServer {
  private ContainerServer() {}

  /** Starts it; the URL of an administrator. */
  static String start() {
    PostgreSQLContainer container =
        new PostgreSQLContainer(
            DockerImageName.parse(System.getProperty("tidemark.image", "postgres:17"))
                .asCompatibleSubstituteFor("postgres"));
    container.start();
    return container.getJdbcUrl()
        + (container.getJdbcUrl().contains("?") ? "&" : "?")
        + "user="
        + container.getUsername()
        + "&password="
        + container.getPassword();
  }
}
