package dev.tidemark.retention.it.check;

import static org.junit.platform.engine.discovery.ClassNameFilter.excludeClassNamePatterns;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The tests of the SQL functions, and the laws, run within this JVM. */
final class TestRun {
  private static final String BASE = "dev\\.tidemark\\.retention\\.it\\.";

  private TestRun() {}

  static TestExecutionSummary run() {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectPackage("dev.tidemark.retention.it"))
            .filters(
                includeClassNamePatterns(BASE + "\\w+IT", BASE + "laws\\.\\w+Laws"),
                // The suite of the laws, which are selected by themselves.
                excludeClassNamePatterns(BASE + "LawsIT"))
            .build();
    SummaryGeneratingListener summary = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, summary, new Progress());
    return summary.getSummary();
  }

  static String failures(TestExecutionSummary summary) {
    StringWriter text = new StringWriter();
    summary.printFailuresTo(new PrintWriter(text), 30);
    return text.toString();
  }
}
