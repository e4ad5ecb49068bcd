package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.tools.BackupReport;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut backup verify}: checks a backup. */
@Command(
    name = "stablecut backup verify",
    description = {
      "Compares all files of a backup with their hashes, as restore also does. Read-only.",
      "Exit code 0 if the backup is intact, 1 if something is damaged or missing, or if there is no"
          + " finished backup."
    })
public final class BackupVerify extends ShellCommand {
  @Parameters(index = "0", paramLabel = "BACKUP", description = "directory of the backup")
  private Path backup = Path.of("");

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  public BackupVerify() {}

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
    Exit exit = report.isIntact() ? Exit.DONE : Exit.FAILED;
    if (json) {
      printJson(exit, facts(report));
    } else {
      print(report);
    }
    return exit.code();
  }

  private ObjectNode facts(BackupReport report) {
    ObjectNode facts = JsonNodeFactory.instance.objectNode();
    facts.put("backup", backup.toString());
    facts.put("store", "%016x".formatted(report.storeId()));
    facts.put("made", report.made().toString());
    facts.put("partitions", report.partitions());
    facts.put("files", report.files());
    facts.put("bytes", report.bytes());
    report.damages().forEach(facts.putArray("damages")::add);
    return facts;
  }

  private void print(BackupReport report) {
    report.damages().forEach(damage -> out().println("damaged: " + PrintableText.of(damage)));
    out()
        .printf(
            "%s: a backup of store %016x, made %s: %,d files of %,d partitions with %,d bytes%n",
            report.isIntact() ? "all is well" : report.damages().size() + " files are damaged",
            report.storeId(),
            report.made(),
            report.files(),
            report.partitions(),
            report.bytes());
  }
}
