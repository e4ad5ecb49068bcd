package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.Pin;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.ExchangeFile;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
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

/** {@code stablecut cluster export}: exports the objects of a cluster as JSON lines. */
@Command(
    name = "stablecut cluster export",
    description = {
      "Exports the objects of a running cluster as JSON lines, at one snapshot, in the format of"
          + " stablecut export.",
      "With --skip-lost it skips unreachable partitions and names them. Their objects are missing"
          + " from the file, so transactions that also changed other partitions are in it in part.",
      "Exit code 0 if the file is complete, 1 if partitions are missing or the export failed."
    })
public final class ClusterExport extends ShellCommand {
  @Mixin private ObserverNode observer = new ObserverNode();

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description =
          "the file to write, which must not exist; compressed if its name ends with "
              + ExchangeFile.GZIP)
  private Path file = Path.of("");

  @Option(
      names = "--skip-lost",
      description = "skip partitions that can't be reached, such as those of a lost disk")
  private boolean skipLost;

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  public ClusterExport() {}

  /** Creates the command. */
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
    return observer.asNode(ExchangeFile.options(), this::export).code();
  }

  private Exit export(ClusterNode node, Store store) throws IOException {
    Set<Integer> lost = skipLost ? node.skipUnreachable() : Set.of();
    ExchangeFile.ExportResult written;
    try (Pin snapshot = store.pin(store.snapshot().token())) {
      written = new ExchangeFile(file).write(snapshot);
    }
    List<PartitionLocation> missing =
        node.partitions().stream().filter(location -> lost.contains(location.partition())).toList();
    if (json) {
      print(written, missing);
    } else {
      out().printf("exported %,d objects into %s: %s%n", written.objects(), file, written.token());
    }
    if (!missing.isEmpty()) {
      err()
          .printf(
              "%d of %d partitions could not be reached, and their objects are missing: %s%n",
              missing.size(),
              node.partitions().size(),
              missing.stream().map(ClusterExport::name).collect(Collectors.joining(", ")));
    }
    return missing.isEmpty() ? Exit.DONE : Exit.FAILED;
  }

  private void print(ExchangeFile.ExportResult written, List<PartitionLocation> missing) {
    ObjectNode facts = written.json(file);
    ArrayNode partitions = facts.putArray("missing");
    missing.forEach(
        location ->
            partitions
                .addObject()
                .put("partition", location.partition())
                .put("node", location.node()));
    printJson(missing.isEmpty() ? Exit.DONE : Exit.FAILED, facts);
  }

  private static String name(PartitionLocation location) {
    return location.node().isEmpty()
        ? "%d".formatted(location.partition())
        : "%d (node %s)".formatted(location.partition(), PrintableText.of(location.node()));
  }
}
