package io.github.stablecut.cluster.command;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.admin.AdminPortFile;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;

/** Opens the directories that no process has open for commands. */
final class ClosedDirectory {
  private ClosedDirectory() {}

  /**
   * Opens a store that is there.
   *
   * @throws StoreInUseException if a process has it open, or it is the directory of a node of a
   *     cluster that has said where it is
   */
  static Store open(Path data) throws IOException {
    try {
      return Stablecut.openExisting(data, StoreOptions.forTools());
    } catch (NotAStoreException e) {
      if (AdminPortFile.read(data).isPresent()) {
        throw new StoreInUseException(String.valueOf(e.getMessage()));
      }
      throw e;
    }
  }
}
