package io.github.stablecut.examples.gitlog;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gitlog}: the history of a git repository in a store. */
@Command(
    name = "gitlog",
    description = "Imports the history of a git repository, and shows what it was at any commit.",
    mixinStandardHelpOptions = true,
    subcommands = {ImportCommand.class, TopCommand.class})
public final class GitLog {
  /** Made by the command line. */
  public GitLog() {}

  /** Where the store is. */
  static final class Data {
    @Option(
        names = "--data",
        required = true,
        paramLabel = "DIR",
        description = "the store's directory")
    private Path directory = Path.of("");

    Store open() {
      return Stablecut.open(directory);
    }

    Path directory() {
      return directory;
    }
  }
}
