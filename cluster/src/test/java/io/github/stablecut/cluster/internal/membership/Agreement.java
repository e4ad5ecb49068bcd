package io.github.stablecut.cluster.internal.membership;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks that the nodes of a {@link SimulatedCluster} agree after all faults are repaired. */
final class Agreement {
  private record PublishedOwner(String node, long epoch, boolean isReachable) {}

  /** What a node publishes, which must be equal on all nodes. */
  private record View(Set<String> members, List<PublishedOwner> owners) {
    static View of(SimulatedNode node) {
      return new View(
          node.published().map(one -> one.members().addresses()).orElse(Set.of()),
          node.owners().stream()
              .map(one -> new PublishedOwner(one.node(), one.epoch(), one.isReachable()))
              .toList());
    }
  }

  private Agreement() {}

  /** The first disagreement or missing service; empty if there is none. */
  static Optional<String> problem(List<SimulatedNode> nodes, List<String> seeds) {
    for (SimulatedNode node : nodes) {
      if (!node.isRunning() && !node.isRefusedForGood() && !node.isGone()) {
        return Optional.of(node.name + " is not running");
      }
    }
    List<SimulatedNode> running = nodes.stream().filter(SimulatedNode::isRunning).toList();
    if (!mayServe(nodes, seeds)) {
      return Optional.empty();
    }
    for (SimulatedNode node : running) {
      if (!node.isServing()) {
        return Optional.of(node.name + " does not serve");
      }
    }
    for (SimulatedNode node : running) {
      Optional<String> problem =
          isOfOtherStore(node, running.get(0))
              ? unreportedStore(running, node)
              : difference(running.get(0), node).or(() -> wrongOwner(node));
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  /**
   * Whether enough nodes are left: none has permanently lost data that the others wait for, and if
   * machines are lost, a running seed belongs to the cluster.
   */
  private static boolean mayServe(List<SimulatedNode> nodes, List<String> seeds) {
    return nodes.stream().noneMatch(SimulatedNode::isRefusedForGood)
        && (nodes.stream().noneMatch(SimulatedNode::isGone)
            || nodes.stream()
                .anyMatch(
                    node ->
                        node.isRunning()
                            && node.directory().isFormed()
                            && seeds.contains(node.address)));
  }

  private static boolean isOfOtherStore(SimulatedNode first, SimulatedNode second) {
    return first.directory().storeId() != second.directory().storeId();
  }

  /** Two stores must not merge: some node of each other store must warn that there are two. */
  private static Optional<String> unreportedStore(List<SimulatedNode> running, SimulatedNode node) {
    return running.stream().anyMatch(other -> !isOfOtherStore(other, node) && other.isWarned())
        ? Optional.empty()
        : Optional.of(
            "no node has warned that the store of %s is another one".formatted(node.name));
  }

  private static Optional<String> difference(SimulatedNode one, SimulatedNode other) {
    View first = View.of(one);
    View second = View.of(other);
    return first.equals(second)
        ? Optional.empty()
        : Optional.of(
            "%s publishes %s, but %s publishes %s".formatted(one.name, first, other.name, second));
  }

  /**
   * A partition that is open on a node at another epoch than published, or on a node that is not
   * its owner.
   */
  private static Optional<String> wrongOwner(SimulatedNode node) {
    for (MembershipView.Owner owner : node.owners()) {
      Optional<Long> published =
          owner.node().equals(node.name) ? Optional.of(owner.epoch()) : Optional.empty();
      Optional<Long> open = Optional.ofNullable(node.open().get(owner.partition()));
      if (!published.equals(open)) {
        return Optional.of(
            "%s has partition %d open at %s, but the others know %s"
                .formatted(node.name, owner.partition(), open, owner));
      }
    }
    return Optional.empty();
  }
}
