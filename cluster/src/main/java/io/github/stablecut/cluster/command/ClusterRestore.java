package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.terminal.ProgressBar;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster restore}: makes the first node of a new cluster of a backup. */
@Command(
    name = "stablecut cluster restore",
    description = {
      "Restores a backup, of a cluster or of a store, to the directory of a node that has all"
          + " partitions: the first one of a new cluster.",
      "Start it with stablecut serve, then others with empty directories, of any number, and spread"
          + " the partitions with stablecut cluster rebalance or, --with-replicas, give them"
          + " replicas with stablecut cluster replicas. The number of partitions stays.",
      "The hashes of all files are checked first. The new cluster has a new identity: it refuses"
          + " tokens and nodes of the original.",
      "Exit code 0 if the node is complete, 1 if the restore failed."
    })
public final class ClusterRestore extends ShellCommand {
  @Parameters(index = "0", paramLabel = "BACKUP", description = "directory of the backup")
  private Path backup = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "DATA",
      description = "directory of the new node, empty or not there")
  private Path data = Path.of("");

  @Option(names = "--node", required = true, paramLabel = "NAME", description = "the node's name")
  private String node = "";

  @Option(
      names = "--with-replicas",
      description =
          "of a cluster whose partitions can have replicas: one each until cluster replicas 3, once"
              + " there are nodes for them")
  private boolean isReplicated;

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  ClusterRestore() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterRestore();
  }

  /**
   * Restores, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterRestore(), args));
  }

  @Override
  public Integer call() {
    try (ProgressBar bar = ProgressBar.onStandardError("bytes")) {
      ClusterNode.restore(backup, data, node, isReplicated, Backup.shownBy(bar, "restoring"));
    }
    if (json) {
      printJson(
          Exit.DONE,
          JsonNodeFactory.instance
              .objectNode()
              .put("backup", backup.toString())
              .put("data", data.toString())
              .put("node", node));
    } else {
      out()
          .printf(
              "restored %s into %s as node %s, the first of a new cluster: start it (serve --data %s --node %s --join ...), then others, then %s%n",
              backup,
              data,
              node,
              data,
              node,
              isReplicated ? "cluster replicas 3" : "cluster rebalance");
    }
    return Exit.DONE.code();
  }
}
