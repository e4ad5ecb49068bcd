package io.github.stablecut.cluster.command;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.exchange.UnfinishedFile;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut import}: creates a store from JSON lines. */
@Command(
    name = "stablecut import",
    description = {
      "Creates a store from a file that stablecut export, or a program that writes the same format,"
          + " wrote.",
      "The store has a new identity. If a line is malformed, the command reports its number and"
          + " creates no store.",
      "Exit code 0 if the store is complete, 1 if the import failed."
    })
public final class Import extends ShellCommand {
  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "the file to read; compressed if its name ends with " + ExchangeFile.GZIP)
  private Path file = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "DATA",
      description = "directory of the new store, empty or missing")
  private Path data = Path.of("");

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  Import() {}

  /**
   * Imports, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Import(), args));
  }

  @Override
  public Integer call() throws IOException {
    long lines;
    long objects;
    ExchangeFile source = new ExchangeFile(file);
    try (UnfinishedFile unfinished = UnfinishedFile.directory(data)) {
      try (Store created = Stablecut.open(unfinished.path(), ExchangeFile.options())) {
        lines = source.read(created, "importing");
        objects = ExchangeFile.count(created);
      }
      unfinished.complete();
    }
    if (json) {
      printJson(Exit.DONE, source.json(lines, objects).put("data", data.toString()));
    } else {
      out().println(source.imported(lines, objects, data));
    }
    return Exit.DONE.code();
  }
}
