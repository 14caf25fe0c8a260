package dev.tidemark.retention.cli;

/** The value of an option that is a whole number. */
final class WholeNumber {
  private WholeNumber() {}

  /**
   * @param given as on the command line
   * @throws UsageException one line naming the option, the value and what is allowed
   */
  static int of(String option, String given, int least, int most) {
    try {
      int number = Integer.parseInt(given);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new UsageException(
        option
            + ": must be a whole number from "
            + least
            + " to "
            + most
            + ", not '"
            + given
            + "'");
  }
}
