package io.github.stablecut.cluster.command.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut cluster leave}: removes a node from its cluster. */
@Command(
    name = "stablecut cluster leave",
    description = {
      "Moves all partitions of the node at --url to other nodes and removes it from the cluster;"
          + " its process then exits with code 0.",
      "If partitions have replicas, other nodes first get replicas in place of this node's.",
      "A leaving node receives no partitions.",
      "Exit code 0 once the node has left, 1 if a partition could not be moved: the node then stays"
          + " in the cluster, and partitions already moved stay where they are."
    })
public final class ClusterLeave extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(
      names = "--json",
      description = "print the result as a line of JSON, and the steps on standard error")
  private boolean json;

  public ClusterLeave() {}

  /** Creates the command. */
  public static Object command() {
    return new ClusterLeave();
  }

  /**
   * Moves the partitions, removes the node, and ends this process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterLeave(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Mover mover = new Mover(port, steps());
    String node = mover.view().node();
    mover.announceLeave();
    boolean hasLeft = false;
    try {
      if (mover.view().isReplicated()) {
        moveReplicas(mover, node);
      } else {
        movePartitions(mover);
      }
      port.execute("/api/v1/cluster/leave");
      hasLeft = true;
    } finally {
      if (!hasLeft) {
        withdrawLeave(mover, node);
      }
    }
    if (json) {
      ObjectNode facts = JsonNodeFactory.instance.objectNode();
      facts.put("node", node).set("moves", mover.moved());
      printJson(Exit.DONE, facts);
    } else {
      out().println("node %s is leaving the cluster".formatted(node));
    }
    return Exit.DONE.code();
  }

  private PrintWriter steps() {
    return json ? err() : out();
  }

  /** Moves the node's replicas to other nodes, and waits until it has none. */
  private void moveReplicas(Mover mover, String node) throws IOException, InterruptedException {
    port.execute("/api/v1/cluster/spread?without=" + URLEncoder.encode(node, UTF_8));
    steps().println("other nodes get replicas in place of those of node " + node);
    mover.awaitNoReplicas();
  }

  /** Moves each partition to the node with the fewest that has not refused one. */
  private void movePartitions(Mover mover) throws IOException, InterruptedException {
    Set<String> excluded = new HashSet<>();
    Optional<MoveRefusedException> refused = Optional.empty();
    while (true) {
      ClusterView view = mover.view();
      excluded.add(view.node());
      Optional<ClusterView.Location> next =
          view.partitions().stream()
              .filter(location -> location.node().equals(view.node()))
              .findFirst();
      if (next.isEmpty()) {
        return;
      }
      Optional<String> to = Mover.emptiest(view, excluded);
      if (to.isEmpty()) {
        throw refused.orElseGet(() -> noTarget(view));
      }
      try {
        mover.moveAway(next.get(), to.get());
      } catch (MoveRefusedException e) {
        steps().println("node %s refuses: %s".formatted(to.get(), e.getMessage()));
        excluded.add(to.get());
        refused = Optional.of(e);
      }
    }
  }

  private static MoveRefusedException noTarget(ClusterView view) {
    return new MoveRefusedException(
        view.leaving().stream().allMatch(view.node()::equals)
            ? "node %s is the only reachable one: start another node, or stop this one with SIGTERM"
                .formatted(view.node())
            : "all reachable nodes are leaving, %s: wait until they have left, start another node, or stop node %s with SIGTERM"
                .formatted(view.leaving(), view.node()));
  }

  private void withdrawLeave(Mover mover, String node) throws InterruptedException {
    try {
      mover.withdrawLeave();
    } catch (IOException | MoveRefusedException e) {
      steps()
          .println(
              "node %s accepts no partitions for another %d s: %s"
                  .formatted(node, Mover.ANNOUNCED_SECONDS, e.getMessage()));
    }
  }
}
