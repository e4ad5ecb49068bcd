package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.MoveRefusedException;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./stablecut cluster leave}: has a node leave the cluster. */
@Command(
    name = "./stablecut cluster leave",
    description = {
      "Moves all partitions of the node that is asked to the others, and has it leave the cluster;"
          + " its process ends with exit code 0.",
      "Exit code 0 once that is so, 1 if a partition can't be moved: then the node stays."
    })
public final class ClusterLeave extends ShellCommand {
  @Mixin private OperatorsPort port = new OperatorsPort();

  ClusterLeave() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterLeave();
  }

  /**
   * Moves, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterLeave(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Mover mover = new Mover(port, out());
    while (true) {
      ClusterView view = mover.view();
      Optional<ClusterView.Place> next =
          view.places().stream().filter(place -> place.node().equals(view.node())).findFirst();
      if (next.isEmpty()) {
        port.order("/api/v1/cluster/leave");
        out().println("node %s leaves the cluster".formatted(view.node()));
        return 0;
      }
      String to =
          Mover.emptiest(view, Set.of(view.node()))
              .orElseThrow(
                  () ->
                      new MoveRefusedException(
                          "node %s is the only one that can be reached: start another one, or end it with SIGTERM"
                              .formatted(view.node())));
      mover.move(next.get().partition(), to);
    }
  }
}
