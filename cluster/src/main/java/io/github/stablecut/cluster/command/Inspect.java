package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.internal.admin.InspectionReport;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.tools.Inspection;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut inspect}: describes the files of a closed store or of a running server. */
@Command(
    name = "stablecut inspect",
    description = {
      "Describes the files of a closed store, or with --url the current ones of a running server, which keeps hard links to them meanwhile. Read-only.",
      "allocatedBytes is the disk space of a file, bytes its length.",
      "Exit code 0 on success, 1 if the store is too damaged to be described, 2 if there is no"
          + " store, if it is in use, or if the arguments are invalid."
    })
public final class Inspect extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      description = "directory of a store or of a cluster node; omit it with --url")
  private List<Path> paths = List.of();

  Inspect() {}

  /**
   * Inspects, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Inspect(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Optional<Path> directory = directory(paths, 0);
    ObjectNode report = directory.isPresent() ? inspect(directory.get()) : runOnServer(port);
    if (json) {
      printJson(Exit.DONE, report);
    } else {
      print(out(), "", report);
    }
    return Exit.DONE.code();
  }

  private ObjectNode inspect(Path directory) throws IOException, InterruptedException {
    try (ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      return InspectionReport.json(Inspection.of(directory, Verify.shownBy(bar)));
    } catch (StoreInUseException e) {
      return runOnServer(port.ofOwner(directory, e));
    }
  }

  private static ObjectNode runOnServer(AdminPort server) throws IOException, InterruptedException {
    try (ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      return (ObjectNode) server.runTask("/api/v1/inspect", Verify.shownBy(bar));
    }
  }

  /** Prints each field on a line, with its path. Null stands for the time before all commits. */
  private static void print(PrintWriter out, String name, JsonNode value) {
    String prefix = name.isEmpty() ? "" : name + ".";
    if (value.isContainerNode() && !value.isEmpty()) {
      value.properties().forEach(field -> print(out, prefix + field.getKey(), field.getValue()));
      for (int i = 0; value.isArray() && i < value.size(); i++) {
        print(out, prefix + i, value.get(i));
      }
    } else {
      out.println("%-32s  %s".formatted(name, text(value)));
    }
  }

  private static String text(JsonNode value) {
    if (value.isContainerNode()) {
      return "none";
    }
    if (value.isNull()) {
      return "the beginning";
    }
    return value.isNumber() ? "%,d".formatted(value.asLong()) : PrintableText.of(value.asText());
  }
}
