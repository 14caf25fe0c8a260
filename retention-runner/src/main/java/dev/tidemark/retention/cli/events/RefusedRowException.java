package dev.tidemark.retention.cli.events;

/** A row that cannot be imported although the rows after it may; the message is the reason. */
final class RefusedRowException extends Exception {

  RefusedRowException(String reason) {
    // No stack trace: a file may hold a million bad rows, and only the reason is ever shown.
    super(reason, null, false, false);
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
