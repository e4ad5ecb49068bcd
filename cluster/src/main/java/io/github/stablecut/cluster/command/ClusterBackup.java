package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster backup}: writes a backup of a cluster, with its past. */
@Command(
    name = "stablecut cluster backup",
    description = {
      "Backs up a running cluster to a directory on this machine, which must be empty or not exist:"
          + " all partitions as of one snapshot, and as much of the past as each of them keeps.",
      "Transactions are in it whole or not at all, and with everything that was acknowledged"
          + " before. A partition that another node takes over meanwhile is read there, from its"
          + " beginning; one that can't be reached for half a minute ends the backup, and nothing"
          + " of it is left.",
      "stablecut backup verify checks it, stablecut restore makes a store of it, and stablecut"
          + " cluster restore a cluster of any size.",
      "Exit code 0 if the backup is complete, 1 if it failed."
    })
public final class ClusterBackup extends ShellCommand {
  @Mixin private ObserverNode visit = new ObserverNode();

  @Parameters(index = "0", paramLabel = "TARGET", description = "directory of the backup")
  private Path target = Path.of("");

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  ClusterBackup() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterBackup();
  }

  /**
   * Writes a backup, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterBackup(), args));
  }

  @Override
  public Integer call() throws IOException {
    return visit.with(StoreOptions.defaults(), this::write).code();
  }

  private Exit write(Store store) {
    CausalToken token;
    try (ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      token = store.backup(target, Backup.shownBy(bar, "backing up"));
    }
    int partitions = store.status().partitions();
    if (json) {
      printJson(
          Exit.DONE,
          JsonNodeFactory.instance
              .objectNode()
              .put("target", target.toString())
              .put("partitions", partitions)
              .put("time", token.time().toString())
              .put("token", token.toText()));
    } else {
      out()
          .printf(
              "backed up the cluster's %,d partitions into %s: %s, %s%n",
              partitions, target, token, token.toText());
    }
    return Exit.DONE;
  }
}
