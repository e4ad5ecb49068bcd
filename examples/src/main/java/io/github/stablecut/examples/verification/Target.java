package io.github.stablecut.examples.verification;

import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options that choose the judged system. */
final class Target {
  /** The kinds of judged systems. */
  private enum Kind {
    EMBEDDED,
    SERVER,
    CLUSTER,
    DATA_CENTRES
  }

  @Option(
      names = "--target",
      defaultValue = "EMBEDDED",
      description =
          "one of ${COMPLETION-CANDIDATES}: a store in this process, a server, a cluster of three"
              + " nodes with three replicas, two data centres; default ${DEFAULT-VALUE}")
  private Kind kind = Kind.EMBEDDED;

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "an empty or new directory for the stores")
  private Path directory = Path.of("");

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "4",
      description = "number of partitions; default ${DEFAULT-VALUE}")
  private int partitions;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "chooses the faults; default ${DEFAULT-VALUE}")
  private long seed;

  long seed() {
    return seed;
  }

  /** Opens what is judged. */
  TargetStores open() throws IOException {
    return switch (kind) {
      case EMBEDDED -> new EmbeddedTarget(directory, partitions);
      case SERVER -> new ServersTarget(directory, 1, partitions, seed);
      case CLUSTER -> new ServersTarget(directory, 3, partitions, seed);
      case DATA_CENTRES -> new DataCentresTarget(directory, partitions, seed);
    };
  }
}
