package dev.tidemark.retention.runner;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/**
 * The name under which a process claims tasks: an operator finds it, and no other process has it.
 */
final class Holders {
  private static final int RANDOM_PART = 8;

  private Holders() {}

  static String ofThisProcess() {
    return host()
        + "/"
        + ProcessHandle.current().pid()
        + "/"
        + UUID.randomUUID().toString().substring(0, RANDOM_PART);
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      // A host without a name of its own: the message holds what is known of it.
      return String.valueOf(e.getMessage());
    }
  }
}
