package io.github.stablecut.cluster.command;

import io.github.stablecut.Stablecut;
import io.github.stablecut.cluster.terminal.ProgressBar;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ./stablecut restore}: makes a store of a backup. */
@Command(
    name = "./stablecut restore",
    description = {
      "Makes a store of a backup, in a directory that is empty or not there.",
      "The hash of every file is checked before anything is used. It is a new store: tokens of the"
          + " one that was backed up are refused.",
      "Exit code 0 if the store is complete, 1 if there is none."
    })
public final class Restore extends ShellCommand {
  @Parameters(index = "0", paramLabel = "BACKUP", description = "the backup")
  private Path backup = Path.of("");

  @Parameters(index = "1", paramLabel = "DATA", description = "where the store is to be")
  private Path data = Path.of("");

  Restore() {}

  /**
   * Restores, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Restore(), args));
  }

  @Override
  public Integer call() {
    try (ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      Stablecut.restore(backup, data, Backup.shownBy(bar, "restoring"));
    }
    out().printf("restored %s into %s%n", backup, data);
    return 0;
  }
}
