package dev.tidemark.retention.it.suite;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import net.jqwik.api.ShrinkingMode;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs laws by the JUnit Platform, whichever engine each is written for. */
public final class Suite {
  static final String LAWS = "dev.tidemark.retention.it.laws";

  private final Launcher launcher =
      LauncherFactory.create(
          LauncherConfig.builder().enableTestExecutionListenerAutoRegistration(false).build());
  private final List<? extends DiscoverySelector> selectors;
  private final ShrinkingMode shrinking;

  private Suite(List<? extends DiscoverySelector> selectors, ShrinkingMode shrinking) {
    this.selectors = selectors;
    this.shrinking = shrinking;
  }

  /** Every law. */
  public static Suite all() {
    return new Suite(List.of(selectPackage(LAWS)), ShrinkingMode.BOUNDED);
  }

  /**
   * Some laws.
   *
   * @param names {@code HistoryLaws}, or {@code HistoryLaws.method}
   * @throws UnknownLawException one of them is no law
   */
  public static Suite of(List<String> names) {
    List<String> known = all().laws();
    for (String name : names) {
      if (known.stream().noneMatch(law -> law.equals(name) || law.startsWith(name + "."))) {
        throw new UnknownLawException(name, known);
      }
    }
    return new Suite(names.stream().map(Suite::selector).toList(), ShrinkingMode.BOUNDED);
  }

  private static DiscoverySelector selector(String name) {
    int method = name.indexOf('.');
    return method < 0
        ? selectClass(LAWS + "." + name)
        : selectMethod(LAWS + "." + name.substring(0, method) + "#" + name.substring(method + 1));
  }

  /**
   * The same laws, for who asks whether one is broken and not how: the first history found is told.
   */
  public Suite withoutShrinking() {
    return new Suite(selectors, ShrinkingMode.OFF);
  }

  private LauncherDiscoveryRequest request() {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(selectors)
        .filters(ClassNameFilter.includeClassNamePatterns(".*Laws"))
        .configurationParameter("jqwik.database", "")
        .configurationParameter("jqwik.reporting.onlyfailures", "true")
        // To whoever listens, such as a report, and not to standard output.
        .configurationParameter("jqwik.reporting.usejunitplatform", "true")
        .configurationParameter("jqwik.shrinking.default", shrinking.name())
        .build();
  }

  /** Their names, as {@code Class.method}, in alphabetical order. */
  public List<String> laws() {
    TestPlan plan = launcher.discover(request());
    return plan.getRoots().stream()
        .flatMap(root -> plan.getDescendants(root).stream())
        .filter(TestIdentifier::isTest)
        .map(LawNames::of)
        .sorted()
        .toList();
  }

  /**
   * Runs them one after the other.
   *
   * @param heard told of each verdict as it falls
   * @param listeners what else listens, such as a report
   */
  public List<Verdict> run(Consumer<Verdict> heard, TestExecutionListener... listeners) {
    List<Verdict> verdicts = new ArrayList<>();
    VerdictListener listener =
        new VerdictListener(
            verdict -> {
              verdicts.add(verdict);
              heard.accept(verdict);
            });
    List<TestExecutionListener> all = new ArrayList<>(List.of(listeners));
    all.add(listener);
    launcher.execute(request(), all.toArray(TestExecutionListener[]::new));
    return List.copyOf(verdicts);
  }
}
