package dev.tidemark.retention.it.suite;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import net.jqwik.api.ShrinkingMode;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
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
  private final List<String> names;
  private final ShrinkingMode shrinking;

  private Suite(List<String> names, ShrinkingMode shrinking) {
    this.names = names;
    this.shrinking = shrinking;
  }

  /** Every law. */
  public static Suite all() {
    return new Suite(List.of(), ShrinkingMode.BOUNDED);
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
    return new Suite(List.copyOf(names), ShrinkingMode.BOUNDED);
  }

  /**
   * The same laws, for who asks whether one is broken and not how: the first history found is told.
   */
  public Suite withoutShrinking() {
    return new Suite(names, ShrinkingMode.OFF);
  }

  private LauncherDiscoveryRequest request() {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(selectPackage(LAWS))
        .filters(ClassNameFilter.includeClassNamePatterns(".*Laws"), wanted())
        .configurationParameter("jqwik.database", "")
        .configurationParameter("jqwik.reporting.onlyfailures", "true")
        // To whoever listens, such as a report, and not to standard output.
        .configurationParameter("jqwik.reporting.usejunitplatform", "true")
        .configurationParameter("jqwik.shrinking.default", shrinking.name())
        .build();
  }

  /** By name and not by signature: a law has parameters, which its engine fills in. */
  private PostDiscoveryFilter wanted() {
    return test -> {
      if (names.isEmpty() || !(test.getSource().orElse(null) instanceof MethodSource method)) {
        return FilterResult.included("all of it");
      }
      String law = LawNames.of(method);
      return FilterResult.includedIf(
          names.stream().anyMatch(name -> law.equals(name) || law.startsWith(name + ".")));
    };
  }

  /** Their names, as {@code Class.method}, in alphabetical order. */
  public List<String> laws() {
    TestPlan plan = launcher.discover(request());
    return plan.getRoots().stream()
        .flatMap(root -> plan.getDescendants(root).stream())
        .flatMap(test -> test.getSource().stream())
        .filter(MethodSource.class::isInstance)
        .map(source -> LawNames.of((MethodSource) source))
        .distinct()
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
