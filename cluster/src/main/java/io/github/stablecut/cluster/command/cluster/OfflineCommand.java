package io.github.stablecut.cluster.command.cluster;

import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** A command on a directory that no process has open. */
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

  /** Runs the command on the directory. */
  abstract Exit read(Path directory);
}
