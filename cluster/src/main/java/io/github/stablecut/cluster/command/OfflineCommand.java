package io.github.stablecut.cluster.command;

import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** What the commands have that only read a store which nobody has open: its directory. */
abstract class OfflineCommand extends ShellCommand {
  @Parameters(
      index = "0",
      paramLabel = "DIR",
      description = "directory of a store or of a cluster node")
  private Path directory = Path.of("");

  @Override
  public final Integer call() {
    return read(directory).code();
  }

  /** Reads the store, and says how the command ends. */
  abstract Exit read(Path directory);
}
