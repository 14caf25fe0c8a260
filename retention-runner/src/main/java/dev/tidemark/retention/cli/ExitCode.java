package dev.tidemark.retention.cli;

/** What the shell gets. */
final class ExitCode {
  static final int DONE = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;

  /** The doctor found something, or a run had to leave rows. */
  static final int HAZARDS = 3;

  /** Another process is sweeping, or at a table. */
  static final int BUSY = 4;

  private ExitCode() {}
}
