package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut cluster rebalance}: spreads the partitions evenly over the nodes. */
@Command(
    name = "stablecut cluster rebalance",
    description = {
      "Moves partitions, one at a time, from nodes with many to nodes with few, until the counts of"
          + " all reachable nodes that are not leaving differ by at most one.",
      "If partitions have replicas, the nodes agree to spread these evenly instead, also over nodes that have none yet. New replicas become voters when they are up to date, and surplus ones are removed afterwards; cluster status shows the progress. Leadership is transferred to the preferred replicas, one partition at a time.",
      "Exit code 0 once the partitions are balanced, or the nodes have agreed on the replicas; 1 if a move failed: partitions already moved stay where they are."
    })
public final class ClusterRebalance extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(
      names = "--json",
      description = "print the result as a line of JSON, and the steps on standard error")
  private boolean json;

  public ClusterRebalance() {}

  /** Creates the command. */
  public static Object command() {
    return new ClusterRebalance();
  }

  /**
   * Rebalances, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterRebalance(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Mover mover = new Mover(port, json ? err() : out());
    if (mover.view().isReplicated()) {
      port.execute("/api/v1/cluster/spread");
      if (json) {
        report(mover.view(), mover);
      } else {
        out()
            .println(
                "the nodes have agreed on the new places of the replicas: cluster status of each node shows the progress of the partitions that it leads");
      }
      return Exit.DONE.code();
    }
    while (true) {
      ClusterView view = mover.view();
      String target =
          Mover.emptiest(view, Set.of())
              .orElseThrow(
                  () ->
                      new MoveRefusedException(
                          "all reachable nodes are leaving, %s: start another node"
                              .formatted(view.leaving())));
      Optional<Map.Entry<String, Integer>> fullest =
          view.counts().entrySet().stream()
              .filter(count -> view.isStaying(count.getKey()))
              .max(Map.Entry.comparingByValue());
      int fewest = view.counts().getOrDefault(target, 0);
      if (fullest.isEmpty() || fullest.get().getValue() <= fewest + 1) {
        report(view, mover);
        return Exit.DONE.code();
      }
      for (ClusterView.Location location : view.partitions()) {
        if (location.node().equals(fullest.get().getKey())) {
          mover.moveAway(location, target);
          break;
        }
      }
    }
  }

  private void report(ClusterView view, Mover mover) {
    if (!json) {
      out().println("partitions: " + summary(view));
      return;
    }
    ObjectNode facts = JsonNodeFactory.instance.objectNode();
    facts.set("moves", mover.moved());
    ArrayNode nodes = facts.putArray("nodes");
    view.counts()
        .forEach(
            (node, partitions) ->
                nodes
                    .addObject()
                    .put("node", node)
                    .put("partitions", partitions)
                    .put("reachable", view.nodes().contains(node))
                    .put("leaving", view.leaving().contains(node)));
    printJson(Exit.DONE, facts);
  }

  /** The partitions of each node, such as {@code n1 has 3, n2 has 3 and can't be reached}. */
  static String summary(ClusterView view) {
    return view.counts().entrySet().stream()
        .map(
            count ->
                PrintableText.of(count.getKey())
                    + " has "
                    + count.getValue()
                    + (view.nodes().contains(count.getKey()) ? "" : " and can't be reached")
                    + (view.leaving().contains(count.getKey()) ? " and is leaving" : ""))
        .collect(Collectors.joining(", "));
  }
}
