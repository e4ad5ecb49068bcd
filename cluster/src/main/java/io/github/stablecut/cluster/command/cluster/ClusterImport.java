package io.github.stablecut.cluster.command.cluster;

import io.github.stablecut.Scan;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.StoredObject;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.ExchangeFile;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import io.github.stablecut.cluster.internal.exchange.TargetExistsException;
import io.github.stablecut.cluster.internal.exchange.UnfinishedFile;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster import}: imports JSON lines into an empty cluster. */
@Command(
    name = "stablecut cluster import",
    description = {
      "Imports a file of stablecut export or stablecut cluster export into an empty cluster.",
      "The command first reads the whole file into a temporary store: if a line is malformed, it reports the line's number, and the cluster stays empty.",
      "Exit code 0 if all objects were imported, 1 if none were, or only some because the cluster failed."
    })
public final class ClusterImport extends ShellCommand {
  @Mixin private ObserverNode observer = new ObserverNode();

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "the file to read; compressed if its name ends with " + ExchangeFile.GZIP)
  private Path file = Path.of("");

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  public ClusterImport() {}

  /** Creates the command. */
  public static Object command() {
    return new ClusterImport();
  }

  /**
   * Imports, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterImport(), args));
  }

  @Override
  public Integer call() throws IOException {
    StoreOptions options = ExchangeFile.options();
    return observer.with(
        options,
        store -> {
          requireEmpty(store);
          check(options);
          ExchangeFile source = new ExchangeFile(file);
          long lines = source.read(store, "importing");
          long objects = ExchangeFile.count(store);
          if (json) {
            printJson(Exit.DONE, source.json(lines, objects));
          } else {
            out().println(source.imported(lines, objects, "the cluster"));
          }
          return Exit.DONE.code();
        });
  }

  private static void requireEmpty(Store store) {
    try (Scan scan = store.snapshot().scan()) {
      if (scan.hasNext()) {
        StoredObject first = scan.next();
        throw new TargetExistsException(
            "the cluster is not empty, it has the object %s/%s: import into a new cluster"
                .formatted(first.bucket(), first.key()));
      }
    }
  }

  private void check(StoreOptions options) throws IOException {
    Path temporary = Files.createTempDirectory("stablecut-import");
    try (UnfinishedFile directory = UnfinishedFile.directory(temporary.resolve("store"));
        Store store = Stablecut.open(directory.path(), options)) {
      new ExchangeFile(file).read(store, "checking");
    } finally {
      Files.delete(temporary);
    }
  }
}
