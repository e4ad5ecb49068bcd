package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster move}: moves a partition to another node. */
@Command(
    name = "stablecut cluster move",
    description = {
      "Moves a partition to another node while the cluster serves it.",
      "Exit code 0 once the other node serves the partition, 1 if the move failed and the partition stays where it was."
    })
public final class ClusterMove extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Parameters(index = "0", paramLabel = "PARTITION", description = "number of the partition")
  private int partition;

  @Parameters(index = "1", paramLabel = "NODE", description = "name of the node to move it to")
  private String node = "";

  @Option(
      names = "--json",
      description = "print the result as a line of JSON, and the steps on standard error")
  private boolean json;

  public ClusterMove() {}

  /** Creates the command. */
  public static Object command() {
    return new ClusterMove();
  }

  /**
   * Moves the partition, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterMove(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check(partition >= 0, "partitions are numbered from 0");
    check(!node.isEmpty(), "NODE is the name of the node to move the partition to");
    Mover mover = new Mover(port, json ? err() : out());
    mover.move(partition, node);
    if (json) {
      printJson(Exit.DONE, (ObjectNode) mover.moved().get(0));
    }
    return Exit.DONE.code();
  }
}
