package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.MoveRefusedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut cluster leave}: has a node leave the cluster. */
@Command(
    name = "stablecut cluster leave",
    description = {
      "Moves all partitions of the node at --url to other nodes and removes it from the cluster;"
          + " its process then exits with code 0.",
      "If partitions have replicas, other nodes get those of this one first.",
      "A leaving node receives no partitions.",
      "Exit code 0 once the node has left, 1 if a partition could not be moved: the node then stays"
          + " in the cluster, and partitions already moved stay where they are."
    })
public final class ClusterLeave extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "as a line of JSON; its steps are told on standard error")
  private boolean json;

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
    Mover mover = new Mover(port, steps());
    String node = mover.view().node();
    mover.announceLeave();
    boolean hasLeft = false;
    try {
      if (mover.view().isReplicated()) {
        leaveToOthers(mover, node);
      } else {
        moveAll(mover);
      }
      var unused = port.order("/api/v1/cluster/leave");
      hasLeft = true;
    } finally {
      if (!hasLeft) {
        stay(mover, node);
      }
    }
    if (json) {
      ObjectNode facts = JsonNodeFactory.instance.objectNode();
      facts.put("node", node).set("moves", mover.moved());
      printJson(Exit.DONE, facts);
    } else {
      out().println("node %s leaves the cluster".formatted(node));
    }
    return Exit.DONE.code();
  }

  private PrintWriter steps() {
    return json ? err() : out();
  }

  /** Has other nodes get the copies of this one, and waits until it has none. */
  private void leaveToOthers(Mover mover, String node) throws IOException, InterruptedException {
    var unused = port.order("/api/v1/cluster/spread?without=" + URLEncoder.encode(node, UTF_8));
    steps().println("other nodes get the replicas of node " + node);
    mover.awaitNothingKept();
  }

  /** Moves each partition to the node that has the fewest, of those that have refused none. */
  private void moveAll(Mover mover) throws IOException, InterruptedException {
    Set<String> others = new HashSet<>();
    Optional<MoveRefusedException> refused = Optional.empty();
    while (true) {
      ClusterView view = mover.view();
      others.add(view.node());
      Optional<ClusterView.Place> next =
          view.places().stream().filter(place -> place.node().equals(view.node())).findFirst();
      if (next.isEmpty()) {
        return;
      }
      Optional<String> to = Mover.emptiest(view, others);
      if (to.isEmpty()) {
        throw refused.orElseGet(() -> alone(view));
      }
      try {
        mover.moveAway(next.get(), to.get());
      } catch (MoveRefusedException e) {
        steps().println("not to node %s: %s".formatted(to.get(), e.getMessage()));
        others.add(to.get());
        refused = Optional.of(e);
      }
    }
  }

  private static MoveRefusedException alone(ClusterView view) {
    return new MoveRefusedException(
        view.leaving().stream().allMatch(view.node()::equals)
            ? "node %s is the only one that can be reached: start another one, or end it with SIGTERM"
                .formatted(view.node())
            : "no node that can be reached stays, %s leave: wait for them, start another one, or end node %s with SIGTERM"
                .formatted(view.leaving(), view.node()));
  }

  private void stay(Mover mover, String node) throws InterruptedException {
    try {
      mover.takeBackLeave();
    } catch (IOException | MoveRefusedException e) {
      steps()
          .println(
              "node %s takes no partitions for %d s still: %s"
                  .formatted(node, Mover.ANNOUNCED_SECONDS, e.getMessage()));
    }
  }
}
