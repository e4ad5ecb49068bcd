package io.github.stablecut.cluster.command;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;

/**
 * Opens the directories that no process has open for commands. How long the past is kept is up to
 * the program that the store belongs to, whose settings are not known here: so nothing of it is
 * dropped.
 */
final class ClosedDirectory {
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withCheckpoints(CheckpointPolicy.byCall().withEndlessRetention());

  private ClosedDirectory() {}

  /**
   * Opens a store that is there.
   *
   * @throws io.github.stablecut.error.StoreInUseException if a process has it open
   */
  static Store open(Path data) {
    return Stablecut.openExisting(data, OPTIONS);
  }
}
