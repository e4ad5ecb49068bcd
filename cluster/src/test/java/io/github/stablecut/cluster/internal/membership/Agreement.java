package io.github.stablecut.cluster.internal.membership;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Whether the nodes of a {@link SimulatedCluster} agree, as they have to once all is mended. */
final class Agreement {
  private record Place(String node, long epoch, boolean isReachable) {}

  /** What others have to see as well. */
  private record View(Set<String> members, List<Place> places) {
    static View of(SimulatedNode node) {
      return new View(
          node.published().map(MembershipAction.Publish::members).orElse(Set.of()),
          node.owners().stream()
              .map(one -> new Place(one.node(), one.epoch(), one.isReachable()))
              .toList());
    }
  }

  private Agreement() {}

  /** What the nodes do not agree on. */
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
              ? unnoticed(running, node)
              : apart(running.get(0), node).or(() -> untrue(node));
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  /**
   * Whether enough is there: no node has lost for good what the others wait for, and if machines
   * are gone there is a seed that belongs to the cluster.
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

  /** Nobody may merge two stores: somebody of each says that there are two. */
  private static Optional<String> unnoticed(List<SimulatedNode> running, SimulatedNode node) {
    return running.stream().anyMatch(other -> !isOfOtherStore(other, node) && other.isWarned())
        ? Optional.empty()
        : Optional.of("nobody has said that the store of %s is another one".formatted(node.name));
  }

  private static Optional<String> apart(SimulatedNode one, SimulatedNode other) {
    View first = View.of(one);
    View second = View.of(other);
    return first.equals(second)
        ? Optional.empty()
        : Optional.of("%s sees %s, and %s %s".formatted(one.name, first, other.name, second));
  }

  /** Whether a node has open what others say it owns, at the same epoch, and nothing else. */
  private static Optional<String> untrue(SimulatedNode node) {
    for (MembershipView.Owner owner : node.owners()) {
      Optional<Long> said =
          owner.node().equals(node.name) ? Optional.of(owner.epoch()) : Optional.empty();
      Optional<Long> open = Optional.ofNullable(node.open().get(owner.partition()));
      if (!said.equals(open)) {
        return Optional.of(
            "%s has partition %d open at %s, but the others know %s"
                .formatted(node.name, owner.partition(), open, owner));
      }
    }
    return Optional.empty();
  }
}
