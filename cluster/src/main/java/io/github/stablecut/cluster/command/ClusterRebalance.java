package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut cluster rebalance}: spreads the partitions evenly. */
@Command(
    name = "stablecut cluster rebalance",
    description = {
      "Moves partitions, one at a time, from nodes with many to nodes with few, until the counts of"
          + " all reachable nodes that are not leaving differ by at most one.",
      "If partitions have replicas: has the nodes agree on spreading these likewise, also over"
          + " nodes that have none yet. New replicas count once they have everything, and what is"
          + " too many is given up after that; cluster status shows how far it is. Leaders hand"
          + " over to the preferred ones, one partition after the other.",
      "Exit code 0 once they are balanced, 1 if a move failed: partitions already moved stay where"
          + " they are."
    })
public final class ClusterRebalance extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "as a line of JSON; its steps are told on standard error")
  private boolean json;

  ClusterRebalance() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterRebalance();
  }

  /**
   * Moves, and ends the process.
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
      var unused = port.order("/api/v1/cluster/spread");
      if (json) {
        tell(mover.view(), mover);
      } else {
        out()
            .println(
                "the nodes have agreed on where replicas are to be: cluster status shows on each"
                    + " node which of those that it leads are complete");
      }
      return Exit.DONE.code();
    }
    while (true) {
      ClusterView view = mover.view();
      String few =
          Mover.emptiest(view, Set.of())
              .orElseThrow(
                  () ->
                      new MoveRefusedException(
                          "no node that can be reached stays, %s leave: start another one"
                              .formatted(view.leaving())));
      Optional<Map.Entry<String, Integer>> many =
          view.counts().entrySet().stream()
              .filter(count -> view.isStaying(count.getKey()))
              .max(Map.Entry.comparingByValue());
      int fewest = view.counts().getOrDefault(few, 0);
      if (many.isEmpty() || many.get().getValue() <= fewest + 1) {
        tell(view, mover);
        return Exit.DONE.code();
      }
      for (ClusterView.Place place : view.places()) {
        if (place.node().equals(many.get().getKey())) {
          mover.moveAway(place, few);
          break;
        }
      }
    }
  }

  private void tell(ClusterView view, Mover mover) {
    if (!json) {
      out().println("partitions: " + said(view));
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

  /** How many partitions each node has, such as {@code n1 has 3, n2 has 3 and can't be reached}. */
  static String said(ClusterView view) {
    return view.counts().entrySet().stream()
        .map(
            count ->
                PrintableText.of(count.getKey())
                    + " has "
                    + count.getValue()
                    + (view.nodes().contains(count.getKey()) ? "" : " and can't be reached")
                    + (view.leaving().contains(count.getKey()) ? " and leaves" : ""))
        .collect(Collectors.joining(", "));
  }
}
