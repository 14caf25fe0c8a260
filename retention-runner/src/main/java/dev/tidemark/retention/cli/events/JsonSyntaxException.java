package dev.tidemark.retention.cli.events;

/** Text that is not JSON; what follows it in an array cannot be told apart any more. */
final class JsonSyntaxException extends Exception {

  JsonSyntaxException(Position position, String problem) {
    super("not JSON at " + position + ": " + problem, null, false, false);
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
