package io.github.stablecut.cluster.command.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import java.io.IOException;
import java.net.URLEncoder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster replace}: replaces a node that is permanently lost by another one. */
@Command(
    name = "stablecut cluster replace",
    description = {
      "For a cluster whose partitions have replicas: replaces a node that is permanently lost by a node of another name, which gets the lost node's replicas. The new node is a member without replicas, or is started with an empty directory after this command. The cluster then refuses the lost node and its directory.",
      "Exit code 0 once the nodes have agreed on it, also if they had agreed before; 1 if they refuse."
    })
public final class ClusterReplace extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Parameters(index = "0", paramLabel = "OLD", description = "name of the lost node")
  private String lost = "";

  @Parameters(index = "1", paramLabel = "NEW", description = "name of the new node")
  private String by = "";

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  public ClusterReplace() {}

  /** Creates the command. */
  public static Object command() {
    return new ClusterReplace();
  }

  /**
   * Replaces the node, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterReplace(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    port.execute(
        "/api/v1/cluster/replace?lost=%s&by=%s"
            .formatted(URLEncoder.encode(lost, UTF_8), URLEncoder.encode(by, UTF_8)));
    if (json) {
      printJson(Exit.DONE, JsonNodeFactory.instance.objectNode().put("lost", lost).put("by", by));
      return Exit.DONE.code();
    }
    out()
        .printf(
            "node %s is replaced by node %s: start %s with an empty directory now, unless it is running; cluster status shows when its replicas are up to date%n",
            lost, by, by);
    return Exit.DONE.code();
  }
}
