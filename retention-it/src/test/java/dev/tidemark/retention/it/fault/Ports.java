package dev.tidemark.retention.it.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;

/** Ports for servers that a test starts. */
final class Ports {
  private Ports() {}

  /** One that nobody listens on at the moment. */
  static int free() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
