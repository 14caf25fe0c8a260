package dev.tidemark.retention.it.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What the database must refuse: the SQLSTATE, and the words of the message that help. */
public final class Refusals {
  private Refusals() {}

  public static void refused(String state, ThrowingCallable statement, String... says) {
    refused("", state, statement, says);
  }

  public static void refused(
      String description, String state, ThrowingCallable statement, String... says) {
    Throwable thrown = catchThrowable(statement);
    assertThat(thrown).as(description).isInstanceOf(SqlFailure.class);
    assertThat(((SqlFailure) thrown).state()).as("%s %s", description, thrown).isEqualTo(state);
    for (String word : says) {
      assertThat(thrown).as(description).hasMessageContaining(word);
    }
  }
}
