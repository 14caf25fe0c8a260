package dev.tidemark.retention.cli;

/** Whether a signal is ending the JVM: its hooks stop the server under whatever still runs. */
final class JvmEnd {
  private JvmEnd() {}

  static boolean hasBegun() {
    Thread probe = new Thread(() -> {}, "probe");
    try {
      Runtime.getRuntime().addShutdownHook(probe);
      Runtime.getRuntime().removeShutdownHook(probe);
      return false;
    } catch (IllegalStateException e) {
      // The only way to be told.
      return true;
    }
  }
}
