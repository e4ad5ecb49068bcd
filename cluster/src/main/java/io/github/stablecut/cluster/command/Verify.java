package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.internal.admin.VerificationJson;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.tools.ToolProgress;
import io.github.stablecut.tools.Verification;
import io.github.stablecut.tools.Verification.Depth;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut verify}: verifies a closed store, or that of a running server. */
@Command(
    name = "stablecut verify",
    description = {
      "Verifies all checksums of a directory that no process has open. Read-only.",
      "With --url, a running server verifies the current state of its store: it writes a checkpoint, restores it next to its own files by hard links, reads all files of that temporary store, and deletes it. The journal is not read.",
      "Exit code 0 if the store is intact, 1 if something is damaged, 2 if there is no store, if it"
          + " is in use, or if the arguments are invalid."
    })
public final class Verify extends ShellCommand {
  @Option(
      names = "--full",
      description = "also decode everything and compare checkpoints with the journal")
  private boolean full;

  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      description = "directory of a store or of a cluster node; omit it with --url")
  private List<Path> paths = List.of();

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
  public Integer call() throws IOException, InterruptedException {
    Optional<Path> directory = directory(paths, 0);
    ObjectNode facts = directory.isPresent() ? verify(directory.get()) : runOnServer(port);
    Exit exit = facts.path("damageCount").asLong() == 0 ? Exit.DONE : Exit.FAILED;
    if (json) {
      facts.put("store", directory.map(Path::toString).orElseGet(() -> port.url().toString()));
      printJson(exit, facts.put("full", full));
    } else {
      print(facts);
    }
    return exit.code();
  }

  private ObjectNode verify(Path directory) throws IOException, InterruptedException {
    try (ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      Depth depth = full ? Depth.FULL : Depth.SUMS;
      return VerificationJson.json(Verification.run(directory, depth, shownBy(bar)));
    } catch (StoreInUseException e) {
      return runOnServer(port.ofOwner(directory, e));
    }
  }

  private ObjectNode runOnServer(AdminPort server) throws IOException, InterruptedException {
    try (ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      String path = "/api/v1/verify" + (full ? "?full" : "");
      return (ObjectNode) server.runTask(path, shownBy(bar));
    }
  }

  private void print(ObjectNode facts) {
    PrintWriter out = out();
    facts.path("notes").forEach(note -> out.println("note: " + PrintableText.of(note.asText())));
    facts
        .path("damages")
        .forEach(damage -> out.println("damaged: " + PrintableText.of(damage.asText())));
    long more = facts.path("damageCount").asLong() - facts.path("damages").size();
    if (more > 0) {
      out.printf("and %,d more%n", more);
    }
    out.printf(
        "%s: %,d journal segments with %,d records, %,d checkpoint files with %,d entries",
        verdict(facts.path("damageCount").asLong()),
        facts.path("segments").asLong(),
        facts.path("records").asLong(),
        facts.path("checkpointFiles").asLong(),
        facts.path("entries").asLong());
    out.println(
        full ? "; %,d objects were compared".formatted(facts.path("compared").asLong()) : "");
  }

  private static String verdict(long damages) {
    return switch ((int) Math.min(2, damages)) {
      case 0 -> "all is well";
      case 1 -> "1 place is damaged";
      default -> "%,d places are damaged".formatted(damages);
    };
  }

  /** Shows progress on a bar, with the stage as its label. */
  public static ToolProgress shownBy(ProgressBar bar) {
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
