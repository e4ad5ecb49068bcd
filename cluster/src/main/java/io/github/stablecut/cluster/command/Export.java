package io.github.stablecut.cluster.command;

import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.tools.Moment;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut export}: writes the objects of a store as lines of JSON. */
@Command(
    name = "stablecut export",
    description = {
      "Exports the objects of a closed store as JSON lines, at one snapshot.",
      "The file holds values only: no history, no tokens, and not who holds the rights of a bounded"
          + " counter. stablecut backup keeps these.",
      "Exit code 0 if the file is complete, 1 if the export failed."
    })
public final class Export extends ShellCommand {
  @Option(
      names = "--at",
      paramLabel = "TIME|TOKEN",
      description =
          "export the state at this moment, such as 2026-11-22T09:50Z, if it is still retained;"
              + " default: the current state")
  private @Nullable String at;

  @Parameters(index = "0", paramLabel = "DATA", description = "directory of the store")
  private Path data = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description =
          "the file to write, which must not exist; compressed if its name ends with "
              + ExchangeFile.GZIP)
  private Path file = Path.of("");

  Export() {}

  /**
   * Exports, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Export(), args));
  }

  @Override
  public Integer call() throws IOException {
    try (Store store = Stablecut.openExisting(data)) {
      Snapshot snapshot = at == null ? store.snapshot() : Moment.snapshot(store, at);
      long objects = new ExchangeFile(file).write(snapshot);
      out()
          .printf(
              "exported %,d objects of %s into %s: %s%n", objects, data, file, snapshot.token());
    }
    return 0;
  }
}
