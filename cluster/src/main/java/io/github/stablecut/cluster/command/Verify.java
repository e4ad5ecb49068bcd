package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.tools.ToolProgress;
import io.github.stablecut.tools.Verification;
import io.github.stablecut.tools.Verification.Depth;
import io.github.stablecut.tools.VerificationReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stablecut verify}: checks a store that nobody has open. */
@Command(
    name = "stablecut verify",
    description = {
      "Verifies all checksums of a closed store. Read-only.",
      "Exit code 0 if the store is intact, 1 if something is damaged, 2 if there is no store, if it is"
          + " in use, or if the arguments are invalid."
    })
public final class Verify extends OfflineCommand {
  @Option(
      names = "--full",
      description = "also decode everything and compare checkpoints with the journal")
  private boolean full;

  Verify() {}

  /**
   * Verifies, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Verify(), args));
  }

  @Override
  Exit read(Path directory) {
    VerificationReport report;
    try (ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      report = Verification.run(directory, full ? Depth.FULL : Depth.SUMS, shownBy(bar));
    }
    PrintWriter out = out();
    report.notes().forEach(note -> out.println("note: " + note));
    report.damages().forEach(damage -> out.println("damaged: " + damage));
    if (report.damageCount() > report.damages().size()) {
      out.printf("and %,d more%n", report.damageCount() - report.damages().size());
    }
    VerificationReport.Checked checked = report.checked();
    out.printf(
        "%s: %,d journal segments with %,d records, %,d checkpoint files with %,d entries",
        verdict(report),
        checked.segments(),
        checked.records(),
        checked.checkpointFiles(),
        checked.entries());
    out.println(full ? "; %,d objects were compared".formatted(checked.compared()) : "");
    return report.isWell() ? Exit.DONE : Exit.FAILED;
  }

  private static String verdict(VerificationReport report) {
    if (report.isWell()) {
      return "all is well";
    }
    return report.damageCount() == 1
        ? "1 place is damaged"
        : "%,d places are damaged".formatted(report.damageCount());
  }

  /** Progress that a bar shows, whose label is the stage. */
  static ToolProgress shownBy(ProgressBar bar) {
    String[] shown = {""};
    return (stage, done, total) -> {
      if (!stage.equals(shown[0])) {
        shown[0] = stage;
        bar.begin(stage, done);
      }
      bar.update(done, total == 0 ? 1 : (double) done / total);
    };
  }
}
