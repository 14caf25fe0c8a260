package dev.tidemark.retention.core.knob;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The value of every {@link Knob} in one process. Immutable; anything not set has its default. */
public final class Knobs {
  private static final int DUE_CAP_CYCLES = 5;
  private static final int MOST_DUE = 1_000_000;
  private static final int BUDGET_INTERVALS = 6;
  private static final Duration LEAST_BUDGET = Duration.ofSeconds(10);

  private final Map<Knob, String> set;
  private final List<String> warnings;

  private Knobs(Map<Knob, String> set, List<String> warnings) {
    this.set = set;
    this.warnings = List.copyOf(warnings);
  }

  public static Knobs defaults() {
    return new Knobs(Map.of(), List.of());
  }

  /**
   * Reads the knobs' variables from an environment; other variables are ignored, and so is a
   * variable that is set but blank.
   *
   * @throws InvalidKnobException for the first value that does not parse or is out of range
   */
  public static Knobs of(Map<String, String> environment) {
    Knobs knobs = defaults();
    for (Knob knob : Knob.values()) {
      String raw = environment.get(knob.variable());
      if (raw != null && !raw.isBlank()) {
        knobs = knobs.with(knob, raw);
      }
    }
    return knobs;
  }

  /**
   * These knobs with one changed.
   *
   * @throws InvalidKnobException if the value does not parse or is out of range
   */
  public Knobs with(Knob knob, String raw) {
    Knob.Checked checked = knob.check(raw);
    Map<Knob, String> changed = new EnumMap<>(Knob.class);
    changed.putAll(set);
    changed.put(knob, checked.value());
    List<String> said = new ArrayList<>(warnings);
    said.removeIf(w -> w.startsWith(knob.variable() + "="));
    if (!checked.warning().isEmpty()) {
      said.add(checked.warning());
    }
    return new Knobs(changed, said);
  }

  /** One line for every value that was clamped; whoever starts with these knobs logs them once. */
  public List<String> warnings() {
    return warnings;
  }

  public Duration interval() {
    return millis(Knob.INTERVAL);
  }

  public int batchSize() {
    return number(Knob.BATCH_SIZE);
  }

  public Duration lockHold() {
    return millis(Knob.LOCK_HOLD_MS);
  }

  public int parallelism() {
    return number(Knob.PARALLELISM);
  }

  /** Due partitions per queue and phase, derived where the knob is 0. */
  public int dueCap() {
    int cap = number(Knob.DUE_CAP);
    return cap > 0 ? cap : Math.min(MOST_DUE, batchSize() * parallelism() * DUE_CAP_CYCLES);
  }

  public Duration safetyWalk() {
    return millis(Knob.SAFETY_WALK_MS);
  }

  public Duration cleanupAfter() {
    return Duration.ofDays(number(Knob.CLEANUP_DAYS));
  }

  public boolean cleanupEnabled() {
    return Boolean.parseBoolean(value(Knob.CLEANUP_ENABLED));
  }

  public Duration metricsKept() {
    return Duration.ofDays(number(Knob.METRICS_DAYS));
  }

  public Duration historyDetail() {
    return Duration.ofHours(number(Knob.HISTORY_DETAIL_HOURS));
  }

  /** The soft end of a cycle's fan-out, derived where the knob is 0. */
  public Duration cycleBudget() {
    Duration budget = millis(Knob.CYCLE_BUDGET_MS);
    if (!budget.isZero()) {
      return budget;
    }
    Duration derived = interval().multipliedBy(BUDGET_INTERVALS);
    return derived.compareTo(LEAST_BUDGET) < 0 ? LEAST_BUDGET : derived;
  }

  public Duration lockTimeout() {
    return millis(Knob.LOCK_TIMEOUT_MS);
  }

  public Duration stepTimeout() {
    return millis(Knob.STEP_TIMEOUT_MS);
  }

  public String synchronousCommit() {
    return value(Knob.SYNCHRONOUS_COMMIT);
  }

  public Duration tableInterval() {
    return millis(Knob.TABLE_INTERVAL);
  }

  /** Percent. */
  public int tableDuty() {
    return number(Knob.TABLE_DUTY);
  }

  /** Zero = a lagging replica is not waited for. */
  public Duration tableMaxLag() {
    return millis(Knob.TABLE_MAX_LAG_MS);
  }

  /** Zero = a vacuum is not waited for. */
  public Duration tableMaxVacuum() {
    return millis(Knob.TABLE_MAX_VACUUM_MS);
  }

  private String value(Knob knob) {
    return set.getOrDefault(knob, knob.defaultValue());
  }

  private Duration millis(Knob knob) {
    return Duration.ofMillis(Long.parseLong(value(knob)));
  }

  private int number(Knob knob) {
    return Integer.parseInt(value(knob));
  }
}
