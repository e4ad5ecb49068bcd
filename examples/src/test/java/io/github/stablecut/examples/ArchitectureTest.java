package io.github.stablecut.examples;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import java.util.Set;

/** Enforces the dependencies between modules and packages of docs/ARCHITECTURE.md. */
@AnalyzeClasses(
    packages = "io.github.stablecut",
    importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
  private static final String ROOT = "io.github.stablecut";

  /** The packages of a cluster node; each may depend on those before it. */
  private static final String[] NODE_PACKAGES = {
    ROOT + ".cluster.internal.membership..",
    ROOT + ".cluster.internal.wire..",
    ROOT + ".cluster.internal.remote..",
    ROOT + ".cluster.internal.handoff..",
    ROOT + ".cluster.internal.akka..",
    ROOT + ".cluster.internal.link..",
    ROOT + ".cluster.internal.node.."
  };

  @ArchTest
  static final ArchRule modulesPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(ROOT + "..")
          .withOptionalLayers(true)
          .layer("error")
          .definedBy(ROOT + ".error")
          .layer("log")
          .definedBy(ROOT + ".log")
          .layer("file")
          .definedBy(ROOT + ".file")
          .layer("crdt")
          .definedBy(ROOT + ".causality..", ROOT + ".crdt..")
          .layer("journal")
          .definedBy(ROOT + ".journal..")
          .layer("checkpoint")
          .definedBy(ROOT + ".checkpoint..")
          .layer("core")
          .definedBy(
              ROOT,
              ROOT + ".key..",
              ROOT + ".option..",
              ROOT + ".map..",
              ROOT + ".object..",
              ROOT + ".tools..",
              ROOT + ".internal..",
              ROOT + ".testing..")
          .layer("junit")
          .definedBy(ROOT + ".junit..")
          .layer("micrometer")
          .definedBy(ROOT + ".micrometer..")
          .layer("console")
          .definedBy(ROOT + ".console..", ROOT + ".web..")
          .layer("cluster")
          .definedBy(ROOT + ".client..", ROOT + ".cluster..")
          .layer("examples")
          .definedBy(ROOT + ".examples..")
          .whereLayer("examples")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("cluster")
          .mayOnlyBeAccessedByLayers("examples")
          .whereLayer("console")
          .mayOnlyBeAccessedByLayers("cluster", "examples")
          .whereLayer("core")
          .mayOnlyBeAccessedByLayers("junit", "micrometer", "console", "cluster", "examples")
          .whereLayer("micrometer")
          .mayOnlyBeAccessedByLayers("cluster")
          .whereLayer("junit")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("journal")
          .mayOnlyBeAccessedByLayers("core", "junit", "cluster", "examples")
          .whereLayer("checkpoint")
          .mayOnlyBeAccessedByLayers("core", "junit", "cluster", "examples");

  @ArchTest
  static final ArchRule theEnginesPackagesHaveNoCycles =
      slices().matching(ROOT + ".internal.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule onlyTheEntryPointUsesTheEngine =
      noClasses()
          .that()
          .resideInAPackage(ROOT)
          .and()
          .doNotHaveSimpleName("Stablecut")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + ".internal..");

  @ArchTest
  static final ArchRule tablesAndObjectsUseThePublicApi =
      noClasses()
          .that()
          .resideInAnyPackage(ROOT + ".map..", ROOT + ".object..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + ".internal..")
                  .and(not(resideInAPackage(ROOT + ".internal.thread"))));

  @ArchTest
  static final ArchRule theEngineKnowsNeitherTablesNorObjects =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".internal..")
          .and()
          .doNotHaveSimpleName("RemoteCall")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(ROOT + ".map..", ROOT + ".object..")
          .because("only calls that travel to their object execute its operations");

  @ArchTest
  static final ArchRule dataTypesOfOneKindDoNotKnowTheOthers =
      slices()
          .matching(ROOT + ".crdt.(counter|register|set|map|sequence|stream)")
          .should()
          .notDependOnEachOther();

  @ArchTest
  static final ArchRule thePackagesOfAPartitionPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("commit")
          .definedBy(ROOT + ".internal.partition.commit")
          .layer("twophase")
          .definedBy(ROOT + ".internal.partition.twophase")
          .layer("partition")
          .definedBy(ROOT + ".internal.partition")
          .layer("replicated")
          .definedBy(ROOT + ".internal.partition.replicated")
          .whereLayer("replicated")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("partition")
          .mayOnlyBeAccessedByLayers("replicated")
          .whereLayer("twophase")
          .mayOnlyBeAccessedByLayers("partition", "replicated");

  @ArchTest
  static final ArchRule keysStandAlone =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".key")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(ROOT, ROOT + ".option", ROOT + ".internal..");

  @ArchTest
  static final ArchRule usersJarsContainNoTestDoubles =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              ROOT + "..testing..", ROOT + ".junit..", ROOT + ".examples.bench..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + "..testing..");

  @ArchTest
  static final ArchRule chronicleHasOneUser =
      oneUser("net.openhft..", ROOT + ".journal.internal..");

  /** A JVM without Chronicle's flags, or without its jars, loads none of its classes. */
  @ArchTest
  static final ArchRule onlyItsLayoutUsesChronicle =
      noClasses()
          .that()
          .haveSimpleNameNotStartingWith("Chronicle")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("net.openhft..");

  @ArchTest
  static final ArchRule jnaHasOneUser = oneUser("com.sun.jna..", ROOT + ".internal.recovery..");

  @ArchTest
  static final ArchRule kryoHasOneUser = oneUser("com.esotericsoftware..", ROOT + ".crdt.codec..");

  @ArchTest
  static final ArchRule nettyHasTwoUsersBesideTheBenchmarks =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              ROOT + ".cluster.internal.network..",
              ROOT + ".cluster.internal.link..",
              ROOT + ".examples.bench..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..");

  @ArchTest
  static final ArchRule theStoreDoesNotUseJackson =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + ".crdt.codec.json..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + ".crdt.codec.json..");

  @ArchTest
  static final ArchRule theLibraryForHoconServesSettingsAndAkka =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              ROOT + ".cluster.internal.settings..", ROOT + ".cluster.internal.akka..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.typesafe.config..");

  @ArchTest
  static final ArchRule micrometerServesTheBinderAndTheServer =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + ".micrometer..", ROOT + ".cluster.internal.admin..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.micrometer..");

  @ArchTest
  static final ArchRule ratisHasOneUser =
      oneUser("org.apache.ratis..", ROOT + ".cluster.internal.register..");

  @ArchTest
  static final ArchRule theServicesLayersPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(ROOT + ".cluster.internal..")
          .layer("antidote")
          .definedBy(ROOT + ".cluster.internal.antidote..")
          .layer("objects")
          .definedBy(ROOT + ".cluster.internal.objects..")
          .layer("call")
          .definedBy(ROOT + ".cluster.internal.call..")
          .layer("service")
          .definedBy(ROOT + ".cluster.internal.service..")
          .layer("network")
          .definedBy(ROOT + ".cluster.internal.network..")
          .layer("operations")
          .definedBy(ROOT + ".cluster.internal.admin..")
          .layer("client")
          .definedBy(ROOT + ".cluster.internal.client..")
          .layer("rooms")
          .definedBy(NODE_PACKAGES)
          .whereLayer("rooms")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("client")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("operations")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("network")
          .mayOnlyBeAccessedByLayers("operations", "rooms")
          .whereLayer("service")
          .mayOnlyBeAccessedByLayers("network", "operations")
          .whereLayer("call")
          .mayOnlyBeAccessedByLayers("service", "client")
          .whereLayer("objects")
          .mayOnlyBeAccessedByLayers("service");

  @ArchTest
  static final ArchRule settingsDoNotDependOnTheirReaders =
      noClasses()
          .that()
          .haveNameMatching(".*\\.cluster\\.(Server|Cluster)Settings.*")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + ".cluster.internal.settings..");

  @ArchTest
  static final ArchRule clusterSettingsDoNotDependOnServerSettings =
      noClasses()
          .that()
          .haveSimpleName("ClusterSettings")
          .should()
          .dependOnClassesThat()
          .haveNameMatching(".*\\.cluster\\.ServerSettings.*");

  @ArchTest
  static final ArchRule theNodesPackagesPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("membership")
          .definedBy(ROOT + ".cluster.internal.membership..")
          .layer("wire")
          .definedBy(ROOT + ".cluster.internal.wire..")
          .layer("remote")
          .definedBy(ROOT + ".cluster.internal.remote..")
          .layer("handoff")
          .definedBy(ROOT + ".cluster.internal.handoff..")
          .layer("akka")
          .definedBy(ROOT + ".cluster.internal.akka..")
          .layer("link")
          .definedBy(ROOT + ".cluster.internal.link..")
          .layer("node")
          .definedBy(ROOT + ".cluster.internal.node..")
          .whereLayer("node")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("akka")
          .mayOnlyBeAccessedByLayers("node")
          .whereLayer("link")
          .mayOnlyBeAccessedByLayers("node")
          .whereLayer("handoff")
          .mayOnlyBeAccessedByLayers("node")
          .whereLayer("remote")
          .mayOnlyBeAccessedByLayers("handoff", "akka", "link", "node")
          .whereLayer("wire")
          .mayOnlyBeAccessedByLayers("remote", "handoff", "akka", "link", "node");

  @ArchTest
  static final ArchRule onlyOneClassConvertsATimeToAVector =
      noClasses()
          .that()
          .doNotBelongToAnyOf(LocalDataCentre.class, VectorClock.class, CausalToken.class)
          .and(areNoVectorCodecs())
          .should()
          .accessTargetWhere(isOfVectorClock("of", "ofEntries"))
          .because(
              "only LocalDataCentre knows which entry a time belongs to; codecs read all entries");

  @ArchTest
  static final ArchRule onlyOneClassConvertsAVectorToATime =
      noClasses()
          .that()
          .doNotBelongToAnyOf(LocalDataCentre.class, VectorClock.class, Timestamp.class)
          .should()
          .accessTargetWhere(isOfVectorClock("max"))
          .because(
              "the greatest entry may be another data centre's: LocalDataCentre says what it"
                  + " means");

  @ArchTest
  static final ArchRule onlyJsonCodeUsesJackson =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              ROOT + ".crdt.codec.json..",
              ROOT + ".examples.trace..",
              ROOT + ".examples.gitlog..",
              ROOT + ".examples.verification..",
              ROOT + ".web..",
              ROOT + ".console..",
              ROOT + ".cluster.internal.admin..",
              ROOT + ".cluster.internal.exchange..",
              ROOT + ".cluster.command..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.fasterxml.jackson..");

  @ArchTest
  static final ArchRule theJdksWebServerHasOneUser =
      oneUser("com.sun.net.httpserver..", ROOT + ".web..");

  @ArchTest
  static final ArchRule sharedPageCodeDependsOnNoApplication =
      noClasses()
          .that()
          .resideInAnyPackage(
              ROOT + ".web..", ROOT + ".examples.web..", ROOT + ".examples.datacentre..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              ROOT + ".console..", ROOT + ".examples.cities..", ROOT + ".examples.write..");

  @ArchTest
  static final ArchRule onlyOnePackageAndTheBenchmarksUseAkka =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + ".cluster.internal.akka..", ROOT + ".examples.bench..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("akka..", "scala..", "org.openjdk.jmh..");

  @ArchTest
  static final ArchRule theDataTypesUseOnlyTheJdk =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".crdt..")
          .and()
          .resideOutsideOfPackage(ROOT + ".crdt.codec..")
          .should()
          .dependOnClassesThat(
              new DescribedPredicate<JavaClass>("are of a library") {
                @Override
                public boolean test(JavaClass used) {
                  String name = used.getBaseComponentType().getPackageName();
                  return !name.isEmpty()
                      && !name.startsWith("java.")
                      && !name.startsWith(ROOT)
                      && !name.startsWith("org.jspecify.")
                      && !name.startsWith("com.google.errorprone.annotations");
                }
              });

  @ArchTest
  static final ArchRule theLibraryDoesNotPrint =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + ".examples..", ROOT + ".cluster..")
          .should()
          .accessField(System.class, "out")
          .orShould()
          .accessField(System.class, "err");

  @ArchTest
  static final ArchRule everyLoggerEscapesItsInput =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + ".log")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("org.slf4j.LoggerFactory")
          .because("Log.of makes loggers that escape foreign text, so that nobody forges lines");

  private static ArchRule oneUser(String library, String user) {
    return noClasses()
        .that()
        .resideOutsideOfPackage(user)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library);
  }

  /** Classes that decode vectors from files and messages, entry by entry. */
  private static DescribedPredicate<JavaClass> areNoVectorCodecs() {
    Set<String> codecs =
        Set.of(
            ROOT + ".checkpoint.internal.ManifestFormat",
            ROOT + ".checkpoint.internal.RunFooter",
            ROOT + ".cluster.command.DumpJournal",
            ROOT + ".cluster.internal.wire.WireInput",
            ROOT + ".crdt.Decoder",
            ROOT + ".internal.record.RecordFields");
    return DescribedPredicate.describe(
        "are no codecs of vectors", type -> !codecs.contains(type.getName()));
  }

  private static DescribedPredicate<JavaAccess<?>> isOfVectorClock(String... methods) {
    Set<String> names = Set.of(methods);
    return DescribedPredicate.describe(
        "is of VectorClock, and one of " + names,
        access ->
            access.getTargetOwner().isEquivalentTo(VectorClock.class)
                && names.contains(access.getTarget().getName()));
  }
}
