package io.github.stablecut.cluster.command;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./stablecut cluster move}: moves a partition to another node. */
@Command(
    name = "./stablecut cluster move",
    description = {
      "Copies a partition to another node while it is served, and has that node serve it then.",
      "Exit code 0 once it is there, 1 if it can't be moved: then it stays where it was."
    })
public final class ClusterMove extends ShellCommand {
  @Mixin private OperatorsPort port = new OperatorsPort();

  @Parameters(index = "0", paramLabel = "PARTITION", description = "its number")
  private int partition;

  @Parameters(index = "1", paramLabel = "NODE", description = "the name of the node")
  private String node = "";

  ClusterMove() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterMove();
  }

  /**
   * Moves, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterMove(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    new Mover(port, out()).move(partition, node);
    return 0;
  }
}
