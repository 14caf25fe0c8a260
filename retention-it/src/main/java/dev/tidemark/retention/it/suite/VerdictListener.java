package dev.tidemark.retention.it.suite;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Turns what the JUnit Platform tells into one verdict a law, however many cases it has. A class
 * that fails to open is one, too.
 */
final class VerdictListener implements TestExecutionListener {
  private final Consumer<Verdict> heard;
  private final Map<String, Long> started = new HashMap<>();
  private final Map<String, Throwable> brokenCases = new HashMap<>();
  private @Nullable TestPlan plan;

  VerdictListener(Consumer<Verdict> heard) {
    this.heard = heard;
  }

  @Override
  public void testPlanExecutionStarted(TestPlan running) {
    plan = running;
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
    String law = LawNames.of(test);
    Throwable thrown = result.getThrowable().orElse(null);
    boolean broken = result.getStatus() == TestExecutionResult.Status.FAILED;
    if (isCase(test)) {
      if (broken) {
        brokenCases.putIfAbsent(law, inCase(test, thrown));
      }
      return;
    }
    Duration took =
        Duration.ofNanos(
            System.nanoTime() - started.getOrDefault(test.getUniqueId(), System.nanoTime()));
    Throwable why = broken ? because(thrown) : brokenCases.remove(law);
    if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
      heard.accept(new Verdict(law, took, null, String.valueOf(because(thrown).getMessage())));
    } else if (why != null || isLaw(test)) {
      heard.accept(new Verdict(law, took, why, null));
    }
  }

  private static boolean isLaw(TestIdentifier test) {
    return test.getSource().filter(MethodSource.class::isInstance).isPresent();
  }

  /** One of several that a law is tried with. */
  private boolean isCase(TestIdentifier test) {
    return plan != null && plan.getParent(test).filter(VerdictListener::isLaw).isPresent();
  }

  private static Throwable inCase(TestIdentifier test, @Nullable Throwable thrown) {
    Throwable why = because(thrown);
    return new AssertionError(test.getDisplayName() + ": " + why.getMessage(), why);
  }

  private static Throwable because(@Nullable Throwable thrown) {
    return thrown == null ? new AssertionError("no reason given") : thrown;
  }
}
