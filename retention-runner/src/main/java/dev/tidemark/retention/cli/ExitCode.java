package dev.tidemark.retention.cli;

/** What the shell gets. */
final class ExitCode {
  static final int DONE = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;

  /** The doctor found something. */
  static final int HAZARDS = 3;

  /** Another process is sweeping. */
  static final int BUSY = 4;

  private ExitCode() {}
}
