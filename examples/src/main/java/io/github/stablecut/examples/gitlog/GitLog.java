package io.github.stablecut.examples.gitlog;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gitlog}: the history of a git repository in a store. */
@Command(
    name = "gitlog",
    description = "Imports the history of a git repository, and shows it as of any commit.",
    subcommands = {ImportCommand.class, TopCommand.class})
public final class GitLog {
  /** Made by the command line. */
  public GitLog() {}

  /** Opens a store that never truncates, because every commit can be queried. */
  static Store open(Path directory) {
    return Stablecut.open(
        directory,
        StoreOptions.defaults()
            .withCheckpoints(CheckpointPolicy.defaults().withEndlessRetention()));
  }

  /** The option that names the store's directory. */
  static final class Data {
    @Option(
        names = "--data",
        required = true,
        paramLabel = "DIR",
        description = "the store's directory")
    private Path directory = Path.of("");

    Store open() {
      return GitLog.open(directory);
    }

    Path directory() {
      return directory;
    }
  }
}
