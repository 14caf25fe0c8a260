package dev.tidemark.retention.core.knob;

import java.util.Locale;

/**
 * Every knob, once: its environment variable, default, allowed values and meaning. The environment,
 * the builder and the command line all go through {@link #check}; docs/reference/environment.md is
 * held against this table by a test.
 */
public enum Knob {
  INTERVAL(
      "RETENTION_INTERVAL",
      "5000",
      Values.range(1_000, Limits.DAY_MS),
      "The cluster's cadence in ms, whatever the replica count."),
  BATCH_SIZE(
      "RETENTION_BATCH_SIZE",
      "1000",
      Values.range(1, 100_000),
      "Segments a step deletes at most; a partition starts at a tenth."),
  LOCK_HOLD_MS(
      "RETENTION_LOCK_HOLD_MS",
      "50",
      Values.range(1, 10_000),
      "How long a step should hold its partition, in ms: batches grow and shrink towards it."),
  PARALLELISM(
      "RETENTION_PARALLELISM",
      "1",
      Values.clamped(1, 16),
      "Step workers in phases 1 to 3. Out of range is clamped with one warning."),
  DUE_CAP(
      "QUEEN_RETENTION_DUE_CAP",
      "0",
      Values.range(0, 1_000_000),
      "Due partitions per queue and phase a cycle takes; 0 = batch size x parallelism x 5."),
  SAFETY_WALK_MS(
      "QUEEN_RETENTION_SAFETY_WALK_MS",
      "86400000",
      Values.zeroOrRange(60_000, 365 * Limits.DAY_MS),
      "Period of the watermark walk in ms; 0 = only the first walk."),
  CLEANUP_DAYS(
      "PARTITION_CLEANUP_DAYS",
      "30",
      Values.floored(1, 36_500),
      "Days of silence before an empty partition is deleted. Below 1 counts as 1, with one warning."),
  CLEANUP_ENABLED(
      "QUEEN_PARTITION_CLEANUP_ENABLED",
      "true",
      Values.choice("true", "false"),
      "Whether empty partitions are deleted."),
  METRICS_DAYS(
      "METRICS_RETENTION_DAYS",
      "90",
      Values.range(1, 3_650),
      "Days that samples and the retention history are kept."),
  HISTORY_DETAIL_HOURS(
      "RETENTION_HISTORY_DETAIL_HOURS",
      "24",
      Values.range(1, 87_600),
      "Hours that the history keeps every step; older ones are rolled up into totals a minute."),
  CYCLE_BUDGET_MS(
      "RETENTION_CYCLE_BUDGET_MS",
      "0",
      Values.zeroOrRange(1_000, 7 * Limits.DAY_MS),
      "Soft end of a cycle's fan-out in ms; 0 = 6 x interval, at least 10000."),
  LOCK_TIMEOUT_MS(
      "RETENTION_LOCK_TIMEOUT_MS",
      "1000",
      Values.range(1, 600_000),
      "Patience of a step for the partition row, in ms."),
  STEP_TIMEOUT_MS(
      "RETENTION_STEP_TIMEOUT_MS",
      "30000",
      Values.range(100, 3_600_000),
      "Patience for a step, in ms; for a call of many, that and the time it was given."),
  SYNCHRONOUS_COMMIT(
      "RETENTION_SYNCHRONOUS_COMMIT",
      "off",
      Values.choice("off", "local", "remote_write", "on", "remote_apply"),
      "synchronous_commit of steps; lease statements are always on."),
  TABLE_INTERVAL(
      "RETENTION_TABLE_INTERVAL",
      "60000",
      Values.range(1_000, Limits.DAY_MS),
      "The cluster's cadence of work on event tables, in ms."),
  TABLE_DUTY(
      "RETENTION_TABLE_DUTY",
      "50",
      Values.range(1, 100),
      "Share of the time in which a run works on its table, in percent; the rest it pauses between batches."),
  TABLE_MAX_LAG_MS(
      "RETENTION_TABLE_MAX_LAG_MS",
      "10000",
      Values.range(0, Limits.DAY_MS),
      "How far a replica may lag behind before work on event tables waits, in ms; 0 = it never waits."),
  TABLE_MAX_VACUUM_MS(
      "RETENTION_TABLE_MAX_VACUUM_MS",
      "300000",
      Values.range(0, Limits.DAY_MS),
      "How long a vacuum may have been at work on an event table before work on it waits, in ms; 0 = it never waits.");

  private final String variable;
  private final String defaultValue;

  @SuppressWarnings("ImmutableEnumChecker") // Every Values is a record of immutable parts.
  private final Values values;

  private final String meaning;

  Knob(String variable, String defaultValue, Values values, String meaning) {
    this.variable = variable;
    this.defaultValue = defaultValue;
    this.values = values;
    this.meaning = meaning;
  }

  /** The environment variable, which is also the name in messages. */
  public String variable() {
    return variable;
  }

  /** The command-line flag: {@code --retention-interval} for {@code RETENTION_INTERVAL}. */
  public String flag() {
    return "--" + variable.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public String defaultValue() {
    return defaultValue;
  }

  /** What {@link #check} accepts, in words. */
  public String allowed() {
    return values.description();
  }

  public String meaning() {
    return meaning;
  }

  /**
   * Checks one raw value.
   *
   * @return the value to use, and a warning where it is not the one given
   * @throws InvalidKnobException one line naming the variable, the value and what is allowed
   */
  Checked check(String raw) {
    return values.check(this, raw.strip());
  }

  /** A value to use; {@code warning} is empty unless the given value was clamped. */
  record Checked(String value, String warning) {}

  private static final class Limits {
    static final long DAY_MS = 86_400_000L;
  }
}
