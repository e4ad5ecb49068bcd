package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.Stablecut;
import io.github.stablecut.cluster.terminal.ProgressBar;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut restore}: restores a backup. */
@Command(
    name = "stablecut restore",
    description = {
      "Restores a backup to a directory that is empty or missing.",
      "The command checks the hashes of all files first. The restored store has a new identity: it refuses the original's tokens.",
      "Exit code 0 if the store is complete, 1 if the restore failed."
    })
public final class Restore extends ShellCommand {
  @Parameters(index = "0", paramLabel = "BACKUP", description = "directory of the backup")
  private Path backup = Path.of("");

  @Parameters(index = "1", paramLabel = "DATA", description = "directory of the new store")
  private Path data = Path.of("");

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

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
    if (json) {
      printJson(
          Exit.DONE,
          JsonNodeFactory.instance
              .objectNode()
              .put("backup", backup.toString())
              .put("data", data.toString()));
    } else {
      out().printf("restored %s into %s%n", backup, data);
    }
    return Exit.DONE.code();
  }
}
