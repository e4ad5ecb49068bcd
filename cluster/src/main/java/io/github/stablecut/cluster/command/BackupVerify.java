package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.tools.BackupReport;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stablecut backup verify}: checks a backup. */
@Command(
    name = "stablecut backup verify",
    description = {
      "Compares all files of a backup with their hashes, as restore does first. Read-only.",
      "Exit code 0 if the backup is intact, 1 if something is damaged or missing, or if there is no"
          + " finished backup."
    })
public final class BackupVerify extends ShellCommand {
  @Parameters(index = "0", paramLabel = "BACKUP", description = "directory of the backup")
  private Path backup = Path.of("");

  BackupVerify() {}

  /**
   * Verifies, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new BackupVerify(), args));
  }

  @Override
  public Integer call() {
    BackupReport report;
    try (ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      report = BackupReport.of(backup, Backup.shownBy(bar, "verifying"));
    }
    report.damages().forEach(damage -> out().println("damaged: " + damage));
    out()
        .printf(
            "%s: a backup of store %016x, made %s: %,d files of %,d partitions with %,d bytes%n",
            report.isWell() ? "all is well" : report.damages().size() + " files are damaged",
            report.storeId(),
            report.made(),
            report.files(),
            report.partitions(),
            report.bytes());
    return (report.isWell() ? Exit.DONE : Exit.FAILED).code();
  }
}
