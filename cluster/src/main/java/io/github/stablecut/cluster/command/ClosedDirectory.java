package io.github.stablecut.cluster.command;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;

/** Opens the directories that no process has open for commands. */
final class ClosedDirectory {
  private ClosedDirectory() {}

  /**
   * Opens a store that is there.
   *
   * @throws io.github.stablecut.error.StoreInUseException if a process has it open
   */
  static Store open(Path data) {
    return Stablecut.openExisting(data, StoreOptions.forTools());
  }
}
