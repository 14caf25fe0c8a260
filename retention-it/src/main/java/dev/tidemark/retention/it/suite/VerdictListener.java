package dev.tidemark.retention.it.suite;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Turns what the JUnit Platform tells into verdicts. A class that fails to open is one of them. */
final class VerdictListener implements TestExecutionListener {
  private final Consumer<Verdict> heard;
  private final Map<String, Long> started = new HashMap<>();

  VerdictListener(Consumer<Verdict> heard) {
    this.heard = heard;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    started.put(test.getUniqueId(), System.nanoTime());
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    heard.accept(new Verdict(LawNames.of(test), Duration.ZERO, null, reason));
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Duration took =
        Duration.ofNanos(
            System.nanoTime() - started.getOrDefault(test.getUniqueId(), System.nanoTime()));
    Throwable thrown = result.getThrowable().orElse(null);
    switch (result.getStatus()) {
      case SUCCESSFUL -> {
        if (test.isTest()) {
          heard.accept(new Verdict(LawNames.of(test), took, null, null));
        }
      }
      case ABORTED ->
          heard.accept(
              new Verdict(
                  LawNames.of(test),
                  took,
                  null,
                  thrown == null ? "aborted" : String.valueOf(thrown.getMessage())));
      case FAILED ->
          heard.accept(
              new Verdict(
                  LawNames.of(test),
                  took,
                  thrown == null ? new AssertionError("failed without a reason") : thrown,
                  null));
    }
  }
}
