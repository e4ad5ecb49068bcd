package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster replicas}: changes the number of replicas of each partition. */
@Command(
    name = "stablecut cluster replicas",
    description = {
      "Changes the number of replicas of each partition to 1, 3 or 5 while the cluster serves. New replicas go to the nodes with the fewest and become voters when they are up to date; surplus ones are removed afterwards. A cluster that was formed without replicas first gets a configuration register, for which all its nodes must be reachable.",
      "Exit code 0 once the nodes have agreed on it, also if they had agreed before; 1 if they refuse. cluster status shows the progress."
    })
public final class ClusterReplicas extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Parameters(
      index = "0",
      paramLabel = "NUMBER",
      description = "replicas of each partition: 1, 3 or 5")
  private int number;

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  public ClusterReplicas() {}

  /** Creates the command. */
  public static Object command() {
    return new ClusterReplicas();
  }

  /**
   * Changes the number, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterReplicas(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check(number == 1 || number == 3 || number == 5, "each partition has 1, 3 or 5 replicas");
    port.execute("/api/v1/cluster/replicas?number=" + number);
    if (json) {
      printJson(Exit.DONE, JsonNodeFactory.instance.objectNode().put("replicas", number));
      return Exit.DONE.code();
    }
    out()
        .printf(
            "the nodes have agreed on %d replicas of each partition: cluster status of each node shows the progress of the partitions that it leads%n",
            number);
    return Exit.DONE.code();
  }
}
