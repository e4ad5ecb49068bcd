package io.github.stablecut.cluster.command;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.admin.AdminPortFile;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;

/** Opens directories for commands, unless another process has them open. */
final class ClosedDirectory {
  private ClosedDirectory() {}

  /**
   * Opens an existing store.
   *
   * @throws StoreInUseException if a process has it open, or it is the directory of a running
   *     cluster node
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
