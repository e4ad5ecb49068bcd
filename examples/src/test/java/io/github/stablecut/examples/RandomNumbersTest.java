package io.github.stablecut.examples;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Random numbers come from {@code SecureRandom}. The numbers of other generators can be computed
 * from earlier ones, and two processes may draw the same, so they may only spread load and time.
 */
@AnalyzeClasses(
    packages = "io.github.stablecut",
    importOptions = ImportOption.DoNotIncludeTests.class)
final class RandomNumbersTest {
  private static final String ROOT = "io.github.stablecut.";

  /** Pauses of random length between attempts. */
  private static final Set<String> JITTER =
      Set.of(
          ROOT + "CertifiedRetries",
          ROOT + "internal.transaction.Evaluation",
          ROOT + "internal.transaction.RemoteCall",
          ROOT + "cluster.internal.remote.RemotePartition");

  /** Samples of many elements. */
  private static final Set<String> SAMPLING =
      Set.of(
          ROOT + "internal.cache.Sampling",
          ROOT + "internal.link.TcpTransport",
          ROOT + "object.Compaction");

  /** The random offset of a process's clock, so that two processes rarely assign the same time. */
  private static final Set<String> CLOCKS =
      Set.of(ROOT + "internal.transaction.routing.PartitionSettings");

  /** Faults that a seed determines. */
  private static final Set<String> FAULTS = Set.of(ROOT + "replication.LinkFaults");

  @ArchTest
  static final ArchRule onlySpreadingLoadAndTimeMayBePredictable =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + "examples..", ROOT + "junit..", "..testing..")
          .and(areNotListed())
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(ThreadLocalRandom.class, SplittableRandom.class)
          .orShould()
          .callConstructor(Random.class)
          .orShould()
          .callConstructor(Random.class, long.class)
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.util.random.RandomGenerator")
          .orShould()
          .callMethod(Math.class, "random");

  private static DescribedPredicate<JavaClass> areNotListed() {
    return DescribedPredicate.describe(
        "spread neither load nor time",
        one -> {
          String name = one.getName().replaceFirst("\\$.*", "");
          return !JITTER.contains(name)
              && !SAMPLING.contains(name)
              && !CLOCKS.contains(name)
              && !FAULTS.contains(name);
        });
  }
}
