package dev.tidemark.retention.core.knob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class KnobsTest {
  @Test
  void defaultsAreWhatTheTableOfKnobsSays() {
    Knobs knobs = Knobs.defaults();

    assertThat(knobs.interval()).isEqualTo(Duration.ofSeconds(5));
    assertThat(knobs.batchSize()).isEqualTo(1000);
    assertThat(knobs.parallelism()).isEqualTo(1);
    assertThat(knobs.dueCap()).isEqualTo(5000);
    assertThat(knobs.safetyWalk()).isEqualTo(Duration.ofDays(1));
    assertThat(knobs.cleanupAfter()).isEqualTo(Duration.ofDays(30));
    assertThat(knobs.cleanupEnabled()).isTrue();
    assertThat(knobs.metricsKept()).isEqualTo(Duration.ofDays(90));
    assertThat(knobs.historyDetail()).isEqualTo(Duration.ofHours(24));
    assertThat(knobs.cycleBudget()).isEqualTo(Duration.ofSeconds(30));
    assertThat(knobs.lockTimeout()).isEqualTo(Duration.ofSeconds(1));
    assertThat(knobs.stepTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(knobs.synchronousCommit()).isEqualTo("off");
    assertThat(knobs.warnings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Knob.class)
  void everyDefaultIsAllowed(Knob knob) {
    assertThat(Knobs.defaults().with(knob, knob.defaultValue()).warnings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "INTERVAL,999",
    "INTERVAL,86400001",
    "INTERVAL,0",
    "INTERVAL,-1",
    "INTERVAL,5s",
    "INTERVAL,1e4",
    "INTERVAL,99999999999999999999",
    "BATCH_SIZE,0",
    "BATCH_SIZE,100001",
    "PARALLELISM,two",
    "DUE_CAP,-1",
    "DUE_CAP,1000001",
    "SAFETY_WALK_MS,59999",
    "SAFETY_WALK_MS,-1",
    "CLEANUP_DAYS,x",
    "CLEANUP_DAYS,36501",
    "CLEANUP_ENABLED,yes",
    "CLEANUP_ENABLED,TRUE",
    "METRICS_DAYS,0",
    "METRICS_DAYS,3651",
    "CYCLE_BUDGET_MS,999",
    "LOCK_TIMEOUT_MS,0",
    "STEP_TIMEOUT_MS,99",
    "SYNCHRONOUS_COMMIT,maybe"
  })
  void aValueOutOfRangeIsRefusedInOneLineNamingVariableValueAndRange(Knob knob, String raw) {
    assertThatThrownBy(() -> Knobs.of(Map.of(knob.variable(), raw)))
        .isInstanceOf(InvalidKnobException.class)
        .hasMessage(knob.variable() + ": must be " + knob.allowed() + ", not '" + raw + "'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BATCH_SIZE         | a whole number, 1 .. 100000",
        "PARALLELISM        | a whole number, 1 .. 16",
        "SAFETY_WALK_MS     | 0, or a whole number, 60000 .. 31536000000",
        "SYNCHRONOUS_COMMIT | one of off, local, remote_write, on, remote_apply"
      })
  void whatIsAllowedIsSaidInWords(Knob knob, String words) {
    assertThat(knob.allowed()).isEqualTo(words);
  }

  @Test
  void aFlagIsNamedAfterItsVariable() {
    assertThat(Knob.BATCH_SIZE.flag()).isEqualTo("--retention-batch-size");
  }

  @ParameterizedTest
  @EnumSource(Knob.class)
  void everyKnobSaysWhatItIsFor(Knob knob) {
    assertThat(knob.meaning()).isNotBlank();
  }

  @ParameterizedTest
  @CsvSource({
    "PARALLELISM,0,1",
    "PARALLELISM,-3,1",
    "PARALLELISM,17,16",
    "CLEANUP_DAYS,0,1",
    "CLEANUP_DAYS,-5,1"
  })
  void aClampedValueIsUsedWithExactlyOneWarning(Knob knob, String raw, int used) {
    Knobs knobs = Knobs.of(Map.of(knob.variable(), raw));

    assertThat(knob == Knob.PARALLELISM ? knobs.parallelism() : (int) knobs.cleanupAfter().toDays())
        .isEqualTo(used);
    assertThat(knobs.warnings())
        .singleElement()
        .asString()
        .contains(knob.variable() + "=" + raw, "using " + used);
  }

  @Test
  void aClampedValueSetAnewLeavesNoOldWarning() {
    assertThat(Knobs.defaults().with(Knob.PARALLELISM, "99").with(Knob.PARALLELISM, "2").warnings())
        .isEmpty();
  }

  @Test
  void everyClampedValueHasItsWarning() {
    assertThat(
            Knobs.defaults().with(Knob.PARALLELISM, "99").with(Knob.CLEANUP_DAYS, "0").warnings())
        .hasSize(2);
  }

  @Test
  void aBlankVariableIsNotSet() {
    assertThat(Knobs.of(Map.of("RETENTION_INTERVAL", " ", "HOME", "x")).interval())
        .isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void capAndBudgetAreDerivedFromTheirNeighboursWhereTheyAreZero() {
    Knobs knobs =
        Knobs.defaults()
            .with(Knob.BATCH_SIZE, "200")
            .with(Knob.PARALLELISM, "4")
            .with(Knob.INTERVAL, "1000");

    assertThat(knobs.dueCap()).isEqualTo(4000);
    assertThat(knobs.cycleBudget()).isEqualTo(Duration.ofSeconds(10));
    assertThat(knobs.with(Knob.INTERVAL, "60000").cycleBudget()).isEqualTo(Duration.ofMinutes(6));
    assertThat(knobs.with(Knob.DUE_CAP, "7").dueCap()).isEqualTo(7);
    assertThat(knobs.with(Knob.CYCLE_BUDGET_MS, "2000").cycleBudget())
        .isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void theCleanupCanBeSwitchedOff() {
    assertThat(Knobs.defaults().with(Knob.CLEANUP_ENABLED, "false").cleanupEnabled()).isFalse();
  }

  @Test
  void theLargestDerivedCapDoesNotOverflow() {
    assertThat(
            Knobs.defaults().with(Knob.BATCH_SIZE, "100000").with(Knob.PARALLELISM, "16").dueCap())
        .isEqualTo(1_000_000);
  }
}
