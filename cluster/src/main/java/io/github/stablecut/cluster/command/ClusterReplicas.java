package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster replicas}: each partition gets another number of copies. */
@Command(
    name = "stablecut cluster replicas",
    description = {
      "Each partition gets 1, 3 or 5 replicas while all is served. Replicas are made on the nodes"
          + " that have the fewest, and count once they have everything; what is too many is given"
          + " up after that. A cluster that was formed with one replica gets a register first,"
          + " which says who leads a partition: all its nodes have to be there for that.",
      "Exit code 0 once the nodes have agreed on it, also if they had before; 1 if that can't be."
          + " cluster status shows how far it is."
    })
public final class ClusterReplicas extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Parameters(index = "0", paramLabel = "NUMBER", description = "of each partition: 1, 3 or 5")
  private int number;

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  ClusterReplicas() {}

  /** The command, to be run. */
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
    var unused = port.order("/api/v1/cluster/replicas?number=" + number);
    if (json) {
      printJson(Exit.DONE, JsonNodeFactory.instance.objectNode().put("replicas", number));
      return Exit.DONE.code();
    }
    out()
        .printf(
            "the nodes have agreed on %d replicas of each partition: cluster status shows on each"
                + " node which of those that it leads have as many%n",
            number);
    return Exit.DONE.code();
  }
}
