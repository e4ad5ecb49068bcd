package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.BackupProgress;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.error.StoreInUseException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut backup}: writes a backup of a closed store, or of a running server. */
@Command(
    name = "stablecut backup",
    description = {
      "Backs up a store to a directory that is empty or missing. The store is a directory that no process has open, or with --url that of a running server.",
      "On the same file system, the backup consists of hard links to the store's files; write it to another disk to survive the loss of this one. A program that has the store open calls Store.backup.",
      "Exit code 0 if the backup is complete, 1 if it failed."
    })
public final class Backup extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  @Parameters(
      arity = "1..2",
      paramLabel = "DATA TARGET",
      description =
          "directory of the store (omit it with --url), and directory of the backup; with --url, an absolute path on the server's disk")
  private List<Path> paths = List.of();

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
  public Integer call() throws IOException, InterruptedException {
    Optional<Path> data = directory(paths, 1);
    Path target = paths.get(paths.size() - 1);
    CausalToken token = data.isPresent() ? write(data.get(), target) : runOnServer(port, target);
    if (json) {
      ObjectNode facts = JsonNodeFactory.instance.objectNode();
      facts.put("store", data.map(Path::toString).orElseGet(() -> port.url().toString()));
      facts.put("target", target.toString());
      facts.put("time", token.time().toString());
      printJson(Exit.DONE, facts.put("token", token.toText()));
    } else {
      out()
          .printf(
              "backed up %s into %s: %s, %s%n",
              data.<Object>map(path -> path).orElse(port.url()), target, token, token.toText());
    }
    return Exit.DONE.code();
  }

  private CausalToken write(Path data, Path target) throws IOException, InterruptedException {
    try (Store store = ClosedDirectory.open(data);
        ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      return store.backup(target, shownBy(bar, "backing up"));
    } catch (StoreInUseException e) {
      return runOnServer(port.ofOwner(data, e), target.toAbsolutePath());
    }
  }

  private static CausalToken runOnServer(AdminPort server, Path target)
      throws IOException, InterruptedException {
    String path =
        "/api/v1/backup?target=" + URLEncoder.encode(target.toString(), StandardCharsets.UTF_8);
    try (ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      return CausalToken.parse(server.runTask(path, Verify.shownBy(bar)).path("token").asText());
    }
  }

  /** Shows progress on a bar. */
  public static BackupProgress shownBy(ProgressBar bar, String label) {
    bar.begin(label, 0);
    return (done, total) -> bar.update(done, total == 0 ? 1 : (double) done / total);
  }
}
