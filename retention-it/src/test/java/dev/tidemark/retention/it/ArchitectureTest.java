package dev.tidemark.retention.it;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import org.junit.jupiter.api.Test;

/** Dependencies point one way, core is pure Java, and nobody asks the JVM what time it is. */
class ArchitectureTest {
  private static final String BASE = "dev.tidemark.retention.";

  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.tidemark.retention");

  private static final JavaClasses CLASSES = ALL.that(resideOutsideOfPackage(BASE + "it.."));

  private static final JavaClasses SUITE = ALL.that(resideInAPackage(BASE + "it.."));

  @Test
  void dependenciesPointFromTheRunnerOverTheGatewayToTheCore() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("schema")
        .definedBy(BASE + "schema..")
        .layer("core")
        .definedBy(BASE + "core..")
        .layer("sql")
        .definedBy(BASE + "sql..")
        .layer("runner")
        .definedBy(BASE + "runner..")
        .layer("cli")
        .definedBy(BASE + "cli..")
        .whereLayer("cli")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("runner")
        .mayOnlyBeAccessedByLayers("cli")
        .whereLayer("sql")
        .mayOnlyBeAccessedByLayers("runner", "cli")
        .whereLayer("core")
        .mayOnlyBeAccessedByLayers("sql", "runner", "cli")
        .whereLayer("schema")
        .mayOnlyBeAccessedByLayers("runner", "cli")
        .check(CLASSES);
  }

  @Test
  void everyLayerIsSeen() {
    for (String layer : new String[] {"schema", "core", "sql", "runner", "cli"}) {
      assertThat(CLASSES.that(resideInAPackage(BASE + layer + ".."))).as(layer).isNotEmpty();
    }
  }

  @Test
  void theCoreKnowsNoJdbcAndNoJooq() {
    noClasses()
        .that()
        .resideInAPackage(BASE + "core..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql..", "javax.sql..", "org.jooq..", "org.postgresql..")
        .check(CLASSES);
  }

  @Test
  void onlyTheGatewayKnowsJooqAndTheBindings() {
    noClasses()
        .that()
        .resideInAnyPackage(BASE + "core..", BASE + "runner..", BASE + "cli..", BASE + "schema..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.jooq..")
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage(BASE + "sql.queen..")
        .check(CLASSES);
  }

  @Test
  void onlyTheCommandKnowsWhatABrokerDoesNotInherit() {
    noClasses()
        .that()
        .resideOutsideOfPackage(BASE + "cli..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "picocli..",
            "org.flywaydb..",
            "io.zonky..",
            "ch.qos.logback..",
            "org.HdrHistogram..",
            "org.knowm..",
            "org.apache.batik..",
            "com.fasterxml.jackson..")
        .check(CLASSES);
  }

  @Test
  void nobodyReadsTheClockOfTheJvm() {
    noClasses()
        .should()
        .callMethod(Instant.class, "now")
        .orShould()
        .callMethod(LocalDate.class, "now")
        .orShould()
        .callMethod(LocalDateTime.class, "now")
        .orShould()
        .callMethod(OffsetDateTime.class, "now")
        .orShould()
        .callMethod(ZonedDateTime.class, "now")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callConstructor(Date.class)
        .check(CLASSES);
  }

  @Test
  void onlyTheBuilderOfTheServiceChoosesAClock() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(BASE + "runner.RetentionService$Builder")
        .should()
        .callMethod(Clock.class, "systemUTC")
        .orShould()
        .callMethod(Clock.class, "systemDefaultZone")
        .check(CLASSES);
  }

  @Test
  void packagesFormNoCycles() {
    slices().matching(BASE + "(*).(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void packagesOfTheSuiteFormNoCycles() {
    slices().matching(BASE + "it.(*)..").should().beFreeOfCycles().check(SUITE);
  }

  /** What they are made of is elsewhere: whoever lists the package sees what is checked. */
  @Test
  void amongTheLawsIsNothingElse() {
    classes()
        .that()
        .resideInAPackage(BASE + "it.laws..")
        .and()
        .areTopLevelClasses()
        .should()
        .haveSimpleNameEndingWith("Laws")
        .orShould()
        .haveSimpleName("package-info")
        .check(SUITE);
  }
}
