package io.github.stablecut.cluster.command;

import io.github.stablecut.Pin;
import io.github.stablecut.Store;
import java.io.IOException;
import java.nio.file.Path;
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
      "Exit code 0 if the file is complete, 1 if the export failed."
    })
public final class ClusterExport extends ShellCommand {
  @Mixin private Visit visit = new Visit();

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description =
          "the file to write, which must not exist; compressed if its name ends with "
              + ExchangeFile.GZIP)
  private Path file = Path.of("");

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
    return visit.with(ExchangeFile.options(), this::export);
  }

  private int export(Store store) throws IOException {
    try (Pin snapshot = store.pin(store.snapshot().token())) {
      ExchangeFile.Written written = new ExchangeFile(file).write(snapshot);
      if (json) {
        printJson(Exit.DONE, written.json(file));
      } else {
        out()
            .printf("exported %,d objects into %s: %s%n", written.objects(), file, written.token());
      }
    }
    return Exit.DONE.code();
  }
}
