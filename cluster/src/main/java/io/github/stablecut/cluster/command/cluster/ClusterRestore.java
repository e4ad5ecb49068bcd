package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.command.Backup;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import io.github.stablecut.cluster.terminal.ProgressBar;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster restore}: restores a backup as the first node of a new cluster. */
@Command(
    name = "stablecut cluster restore",
    description = {
      "Restores a backup, of a cluster or of a store, as the first node of a new cluster. The node owns all partitions.",
      "Start the node with stablecut serve, then any number of others with empty directories. Spread the partitions with stablecut cluster rebalance or, after --with-replicas, add replicas with stablecut cluster replicas. The number of partitions stays the same.",
      "The command checks the hashes of all files first. The new cluster has a new identity: it refuses the original's tokens and nodes.",
      "Exit code 0 if the node is complete, 1 if the restore failed."
    })
public final class ClusterRestore extends ShellCommand {
  @Parameters(index = "0", paramLabel = "BACKUP", description = "directory of the backup")
  private Path backup = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "DATA",
      description = "directory of the new node, empty or missing")
  private Path data = Path.of("");

  @Option(names = "--node", required = true, paramLabel = "NAME", description = "the node's name")
  private String node = "";

  @Option(
      names = "--with-replicas",
      description =
          "create a cluster whose partitions can have replicas: one each, until cluster replicas 3 adds more on other nodes")
  private boolean isReplicated;

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  ClusterRestore() {}

  /** Creates the command. */
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
              "restored %s into %s as node %s, the first of a new cluster: start it (serve --data %s --node %s --join ...), then other nodes, then run %s%n",
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
