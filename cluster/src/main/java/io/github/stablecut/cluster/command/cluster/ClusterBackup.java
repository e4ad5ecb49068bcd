package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.command.Backup;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster backup}: backs up a cluster, with its history. */
@Command(
    name = "stablecut cluster backup",
    description = {
      "Backs up a running cluster to a directory on this machine that is empty or missing: all partitions at one snapshot, with the history that each of them retains.",
      "The backup has each transaction whole or not at all, and everything that was acknowledged before it began. If a partition changes its owner meanwhile, the command reads it again from the new owner. If one is unreachable for 30 seconds, the backup fails and is deleted.",
      "stablecut backup verify checks the backup; stablecut restore creates a store from it, and stablecut cluster restore a cluster of any size.",
      "Exit code 0 if the backup is complete, 1 if it failed."
    })
public final class ClusterBackup extends ShellCommand {
  @Mixin private ObserverNode observer = new ObserverNode();

  @Parameters(index = "0", paramLabel = "TARGET", description = "directory of the backup")
  private Path target = Path.of("");

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  ClusterBackup() {}

  /** Creates the command. */
  public static Object command() {
    return new ClusterBackup();
  }

  /**
   * Backs up the cluster, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterBackup(), args));
  }

  @Override
  public Integer call() throws IOException {
    return observer.with(StoreOptions.defaults(), this::write).code();
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
