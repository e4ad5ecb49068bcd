package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.net.URLEncoder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster replace}: another node takes the place of one that is lost for ever. */
@Command(
    name = "stablecut cluster replace",
    description = {
      "For a cluster whose partitions have replicas: a node that is lost for ever is replaced by"
          + " one of another name, which gets the replicas that the lost one had: one that is there"
          + " and has no replicas, or one that is started with an empty directory when this has"
          + " ended. The lost one is not let in any more with what it has.",
      "Exit code 0 once the nodes have agreed on it, also if they had before; 1 if that can't be."
    })
public final class ClusterReplace extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Parameters(index = "0", paramLabel = "OLD", description = "name of the lost node")
  private String lost = "";

  @Parameters(index = "1", paramLabel = "NEW", description = "name of the node to be started")
  private String by = "";

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  ClusterReplace() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterReplace();
  }

  /**
   * Replaces, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterReplace(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    var unused =
        port.order(
            "/api/v1/cluster/replace?lost=%s&by=%s"
                .formatted(URLEncoder.encode(lost, UTF_8), URLEncoder.encode(by, UTF_8)));
    if (json) {
      printJson(Exit.DONE, JsonNodeFactory.instance.objectNode().put("lost", lost).put("by", by));
      return Exit.DONE.code();
    }
    out()
        .printf(
            "node %s is replaced by node %s: start %s with an empty directory now, unless it is"
                + " there; cluster status shows when it has what the others have%n",
            lost, by, by);
    return Exit.DONE.code();
  }
}
