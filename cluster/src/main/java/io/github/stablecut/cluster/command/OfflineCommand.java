package io.github.stablecut.cluster.command;

import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreInUseException;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/**
 * What the commands have that only read a store which nobody has open: its directory, and an exit
 * code of their own if there is no store or it is in use, because 1 is kept for damage.
 */
abstract class OfflineCommand extends ShellCommand {
  private static final int NO_STORE = 2;

  @Parameters(
      index = "0",
      paramLabel = "DIR",
      description = "directory of a store or of a cluster node")
  private Path directory = Path.of("");

  @Override
  public final Integer call() {
    try {
      return read(directory);
    } catch (NotAStoreException | StoreInUseException e) {
      err().println("error: " + e.getMessage());
      return NO_STORE;
    }
  }

  /** Reads the store, and says the exit code. */
  abstract int read(Path directory);
}
