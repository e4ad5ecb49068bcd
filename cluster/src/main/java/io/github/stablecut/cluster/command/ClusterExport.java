package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.Pin;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster export}: writes the objects of a cluster as lines of JSON. */
@Command(
    name = "stablecut cluster export",
    description = {
      "Exports the objects of a running cluster as JSON lines, at one snapshot, in the format of"
          + " stablecut export.",
      "With --skip-lost it goes on without partitions that can't be reached, and says which: what"
          + " they have is missing from the file, also of transactions that others have a part of.",
      "Exit code 0 if the file is complete, 1 if it lacks something or the export failed."
    })
public final class ClusterExport extends ShellCommand {
  @Mixin private ObserverNode visit = new ObserverNode();

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description =
          "the file to write, which must not exist; compressed if its name ends with "
              + ExchangeFile.GZIP)
  private Path file = Path.of("");

  @Option(
      names = "--skip-lost",
      description = "without what partitions have that can't be reached, such as of a lost disk")
  private boolean skipLost;

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  ClusterExport() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterExport();
  }

  /**
   * Exports, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterExport(), args));
  }

  @Override
  public Integer call() throws IOException {
    return visit.asNode(ExchangeFile.options(), this::export).code();
  }

  private Exit export(ClusterNode visitor, Store store) throws IOException {
    Set<Integer> lost = skipLost ? visitor.goWithoutLost() : Set.of();
    ExchangeFile.Written written;
    try (Pin snapshot = store.pin(store.snapshot().token())) {
      written = new ExchangeFile(file).write(snapshot);
    }
    List<PartitionLocation> missing =
        visitor.partitions().stream().filter(place -> lost.contains(place.partition())).toList();
    if (json) {
      print(written, missing);
    } else {
      out().printf("exported %,d objects into %s: %s%n", written.objects(), file, written.token());
    }
    if (!missing.isEmpty()) {
      err()
          .printf(
              "%d of %d partitions could not be reached, and what they have is missing: %s%n",
              missing.size(),
              visitor.partitions().size(),
              missing.stream().map(ClusterExport::name).collect(Collectors.joining(", ")));
    }
    return missing.isEmpty() ? Exit.DONE : Exit.FAILED;
  }

  private void print(ExchangeFile.Written written, List<PartitionLocation> missing) {
    ObjectNode facts = written.json(file);
    ArrayNode partitions = facts.putArray("missing");
    missing.forEach(
        place ->
            partitions.addObject().put("partition", place.partition()).put("node", place.node()));
    printJson(missing.isEmpty() ? Exit.DONE : Exit.FAILED, facts);
  }

  private static String name(PartitionLocation place) {
    return place.node().isEmpty()
        ? "%d".formatted(place.partition())
        : "%d (node %s)".formatted(place.partition(), PrintableText.of(place.node()));
  }
}
