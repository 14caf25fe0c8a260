package dev.tidemark.retention.it.check;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Says which class took how long, and which test failed or was skipped. */
final class Progress implements TestExecutionListener {
  private final ConcurrentMap<String, Long> began = new ConcurrentHashMap<>();

  @Override
  public void executionStarted(TestIdentifier test) {
    began.put(test.getUniqueId(), System.nanoTime());
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    System.out.println("skipped: " + test.getDisplayName() + ": " + reason);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (result.getStatus() != Status.SUCCESSFUL) {
      System.out.println(
          result.getStatus()
              + ": "
              + test.getUniqueId()
              + result.getThrowable().map(t -> ": " + t.getMessage()).orElse(""));
    }
    if (test.getSource().filter(ClassSource.class::isInstance).isPresent()) {
      double seconds = (System.nanoTime() - began.get(test.getUniqueId())) / 1e9;
      System.out.printf("%6.1f s  %s%n", seconds, test.getDisplayName());
    }
  }
}
