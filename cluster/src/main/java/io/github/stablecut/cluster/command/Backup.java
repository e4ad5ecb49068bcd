package io.github.stablecut.cluster.command;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.terminal.ProgressBar;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stablecut backup}: writes a backup of a store that nobody has open. */
@Command(
    name = "stablecut backup",
    description = {
      "Backs up a closed store to a directory, which must be empty or not exist.",
      "On the same file system the backup is hard links to the store's files; to survive the loss of"
          + " the disk, write it to another one. A program that has the store open calls"
          + " Store.backup.",
      "Exit code 0 if the backup is complete, 1 if it failed."
    })
public final class Backup extends ShellCommand {
  @Parameters(index = "0", paramLabel = "DATA", description = "directory of the store")
  private Path data = Path.of("");

  @Parameters(index = "1", paramLabel = "TARGET", description = "directory of the backup")
  private Path target = Path.of("");

  Backup() {}

  /**
   * Writes a backup, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Backup(), args));
  }

  @Override
  public Integer call() {
    CausalToken token = write();
    out().printf("backed up %s into %s: %s, %s%n", data, target, token, token.toText());
    return 0;
  }

  private CausalToken write() {
    try (Store store = Stablecut.openExisting(data);
        ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      return store.backup(target, shownBy(bar, "backing up"));
    }
  }

  /** Progress that a bar shows. */
  static BackupProgress shownBy(ProgressBar bar, String label) {
    bar.begin(label, 0);
    return (done, total) -> bar.update(done, total == 0 ? 1 : (double) done / total);
  }
}
