package io.github.stablecut.cluster.command;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./stablecut export}: writes the objects of a store as lines of JSON. */
@Command(
    name = "./stablecut export",
    description = {
      "Writes the objects of a store that nobody has open as lines of JSON, all as of one snapshot.",
      "The file holds values. The past, tokens, and who has the rights of a bounded counter are not"
          + " in it: ./stablecut backup keeps more.",
      "Exit code 0 if the file is complete, 1 if there is none."
    })
public final class Export extends ShellCommand {
  @Option(
      names = "--at",
      paramLabel = "TOKEN",
      description = "as the store was then, as long as that is kept; as it is now by default")
  private @Nullable String at;

  @Parameters(index = "0", paramLabel = "DATA", description = "the store")
  private Path data = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description =
          "what to write, not there yet; compressed if its name ends with " + ExchangeFile.GZIP)
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
      Snapshot snapshot = at == null ? store.snapshot() : store.at(CausalToken.parse(at));
      long objects = new ExchangeFile(file).write(snapshot);
      out()
          .printf(
              "exported %,d objects of %s into %s: %s%n", objects, data, file, snapshot.token());
    }
    return 0;
  }
}
