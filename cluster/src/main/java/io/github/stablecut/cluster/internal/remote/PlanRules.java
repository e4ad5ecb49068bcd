package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.MoveProgress;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.internal.recovery.Zones;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides whether a node may be replaced and the number of replicas changed, as a node sees its
 * cluster. Thread-safe.
 *
 * @param view this node's view of the others
 */
record PlanRules(MembershipView view) {
  /**
   * The number of unseen restarts by which a node would reach an epoch of a configuration. Far more
   * than the raise of a partition's epoch when its node is forgotten and the partition is reset.
   */
  private static final long UNSEEN_EPOCHS = 1L << 40;

  /** A voter that has lost its directory returns as another replica, without a vote. */
  private static final String NEVER_LED =
      ". A partition whose voters have lost most of their directories for good gets no leader:"
          + " stop all nodes, and build a store from the remaining directories (stablecut cluster recover)";

  /**
   * Returns why no command is accepted now: replaced nodes are still running because no one has
   * notified them. They end once notified, which must happen before more replicas are given up.
   *
   * @param own the plan of this node
   * @param newest the plan on which the nodes have agreed
   * @param command the node that is known to have been replaced
   */
  Optional<String> untold(NodePlan own, NodePlan newest, String command) {
    Set<String> present = new TreeSet<>(newest.gone());
    present.removeAll(own.gone());
    present.remove(command);
    present.retainAll(view.nodes().keySet());
    return present.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the nodes agreed on %s before, which is not known everywhere yet, and will end the nodes %s: check cluster status, and repeat the command when each partition has a leader"
                .formatted(PlanChange.toTexts(newest.changes()), present));
  }

  /** Returns whether a node has replaced a lost one, as was agreed on before. */
  static boolean isReplaced(NodePlan plan, String lost, String by) {
    return plan.changes().contains(new PlanChange.Replacement(lost, by))
        && plan.nodes().contains(by)
        && !plan.nodes().contains(lost);
  }

  /** Returns why a node can't replace a lost one; empty if it can. */
  Optional<String> replacementRefusal(NodePlan plan, String lost, String by) {
    if (!plan.nodes().contains(lost)) {
      return Optional.of(
          "node %s has no replicas: the nodes with replicas are %s".formatted(lost, plan.nodes()));
    }
    if (view.nodes().containsKey(lost)) {
      return Optional.of(
          "node %s is running: only a node that is lost for good can be replaced; stop it first"
              .formatted(lost));
    }
    if (!NodePlan.NAME.matcher(by).matches()) {
      return Optional.of(
          "a node's name is 1 to 63 letters, digits, dots, hyphens and underscores, not \"%s\""
              .formatted(by));
    }
    if (plan.nodes().contains(by)) {
      return Optional.of(
          "node %s has replicas itself: name a node other than %s".formatted(by, plan.nodes()));
    }
    if (view.leaving().contains(by)) {
      return Optional.of("node %s is leaving: name another one".formatted(by));
    }
    return contactRefusal(lost).or(() -> needed(plan, lost));
  }

  /**
   * Returns why a node may not be lost: a reachable member heard it recently. Perhaps only its link
   * to this node is cut; it votes, so a partition that has a leader now may need it.
   */
  private Optional<String> contactRefusal(String lost) {
    return view.unreachable().stream()
        .filter(unreachable -> !unreachable.isSilent())
        .filter(unreachable -> unreachable.name().equals(lost) || unreachable.name().isEmpty())
        .findFirst()
        .map(
            unreachable ->
                "the member at %s, which is %snode %s, sent a message a few seconds ago: only a node that is lost for good can be replaced; stop it, and repeat the command in ten seconds"
                    .formatted(
                        unreachable.address(),
                        unreachable.name().isEmpty() ? "perhaps " : "",
                        lost));
  }

  /** Returns why partitions can't get this number of replicas; empty if they can. */
  Optional<String> replicaChangeRefusal(NodePlan plan, int number) {
    if (!NodePlan.isReplicaCount(number)) {
      return Optional.of("a partition has 1, 3 or 5 replicas, not %d".formatted(number));
    }
    List<String> among = among(plan, Optional.empty());
    if (among.size() < number) {
      return Optional.of(
          "the nodes %s are too few for %d replicas of each partition: start more first"
              .formatted(among, number));
    }
    Set<String> unreachable = new TreeSet<>(plan.nodes());
    unreachable.removeAll(view.nodes().keySet());
    return withoutLeader()
        .or(
            () ->
                number > plan.replicationFactor() || unreachable.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                        "the nodes %s are unreachable, and may be among those that keep their replicas: start or replace them first"
                            .formatted(unreachable)));
  }

  /**
   * Returns why unreplicated partitions can't get a configuration register for this number of
   * replicas; empty if they can.
   */
  Optional<String> registerRefusal(NodePlan plan, int number) {
    if (!NodePlan.isReplicaCount(number)) {
      return Optional.of("a partition has 1, 3 or 5 replicas, not %d".formatted(number));
    }
    Set<String> nodes = new TreeSet<>(view.nodes().keySet());
    Set<String> unreachable = new TreeSet<>();
    view.unreachable()
        .forEach(
            member -> unreachable.add(member.name().isEmpty() ? member.address() : member.name()));
    List<Integer> lost =
        view.owners().stream()
            .filter(owner -> !owner.isReachable())
            .map(MembershipView.Owner::partition)
            .toList();
    if (nodes.size() < number) {
      return Optional.of(
          "the nodes %s are too few for %d replicas of each partition: start more first"
              .formatted(nodes, number));
    }
    if (!unreachable.isEmpty() || !lost.isEmpty() || view.owners().size() != plan.owners().size()) {
      return Optional.of(
          "partitions without replicas can get some only while all nodes are reachable, but %s with the partitions %s are not: start them first"
              .formatted(unreachable, lost));
    }
    if (!view.leaving().isEmpty()) {
      return Optional.of(
          "the nodes %s are leaving: wait until they have left".formatted(view.leaving()));
    }
    List<Integer> moving =
        view.moves().stream().filter(move -> !move.isOver()).map(MoveProgress::partition).toList();
    return moving.isEmpty()
        ? Optional.empty()
        : Optional.of("the partitions %s are moving: wait until the moves end".formatted(moving));
  }

  /**
   * Returns the configuration register for partitions that were unreplicated; the nodes of their
   * owners come first.
   *
   * @param number the number of nodes
   */
  PlanChange.Register register(int number) {
    List<String> owners = view.owners().stream().map(MembershipView.Owner::node).toList();
    long highest = view.owners().stream().mapToLong(MembershipView.Owner::epoch).max().orElse(0);
    return new PlanChange.Register(
        highest + UNSEEN_EPOCHS,
        new Zones(view.zones())
            .more(
                List.of(),
                Stream.concat(owners.stream(), new TreeSet<>(view.nodes().keySet()).stream())
                    .distinct()
                    .toList(),
                number),
        owners);
  }

  /** Returns the zones that nodes report, and the last known zones of nodes that are away. */
  Zones zones(NodePlan plan) {
    return plan.zones().with(view.zones());
  }

  private Optional<String> withoutLeader() {
    return mayNotChange(withoutReachableLeader());
  }

  /** Returns the partitions whose leader is unknown or unreachable. */
  List<Integer> withoutReachableLeader() {
    return view.owners().stream()
        .filter(owner -> !owner.isReachable())
        .map(MembershipView.Owner::partition)
        .toList();
  }

  /** Returns why the placement of replicas can't change while partitions have no leader. */
  static Optional<String> mayNotChange(List<Integer> without) {
    return without.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the partitions %s have no leader with a majority of their replicas: wait until cluster status shows leaders for them%s"
                .formatted(without, NEVER_LED));
  }

  /**
   * Returns why replicas can't be spread over the nodes; empty if they can.
   *
   * @param without a node that is to have no replicas
   */
  Optional<String> spreadRefusal(NodePlan plan, Optional<String> without) {
    return hasRoom(plan, without)
        ? withoutLeader()
        : Optional.of(
            "the nodes %s are too few for %d replicas of each partition: start another one first"
                .formatted(among(plan, without), plan.replicationFactor()));
  }

  /** Returns whether there are enough nodes for the replicas of each partition. */
  private boolean hasRoom(NodePlan plan, Optional<String> without) {
    return among(plan, without).size() >= plan.replicationFactor();
  }

  /** Returns the plan with its replicas spread over the nodes. */
  NodePlan spread(NodePlan plan, Optional<String> without) {
    return plan.withReplicas(plan.replicationFactor(), among(plan, without), zones(plan));
  }

  /**
   * Returns whether the replicas are already spread in this way. Holds even while a partition has
   * no leader, as it may briefly have none when the same command takes effect.
   */
  boolean isSpread(NodePlan plan, Optional<String> without) {
    if (!hasRoom(plan, without)) {
      return false;
    }
    NodePlan next = spread(plan, without);
    return next.replicas().equals(plan.replicas())
        && next.registerNodes().equals(plan.registerNodes());
  }

  /**
   * Returns the nodes that may have replicas: those that have some, and others that are not
   * leaving.
   *
   * @param without a node that is to have no replicas
   */
  List<String> among(NodePlan plan, Optional<String> without) {
    Set<String> others = new TreeSet<>(view.nodes().keySet());
    others.removeAll(plan.nodes());
    others.removeAll(view.leaving());
    return Stream.concat(plan.nodes().stream(), others.stream())
        .filter(node -> !without.equals(Optional.of(node)))
        .toList();
  }

  /**
   * Returns why a lost node may be needed. A reachable leader has a majority without the lost node,
   * which is away. A partition without such a leader may need the lost node's data.
   */
  private Optional<String> needed(NodePlan plan, String lost) {
    return mayNeed(
        mayVote(plan, lost).stream().filter(number -> !view.owner(number).isReachable()).toList(),
        lost);
  }

  /** Returns why a node can't be replaced while partitions without a leader may need its data. */
  static Optional<String> mayNeed(List<Integer> without, String lost) {
    return without.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the partitions %s have no leader with a majority of their replicas, and node %s may have replicas that they need: wait until cluster status shows leaders for them, or bring %s back%s"
                .formatted(without, lost, lost, NEVER_LED));
  }

  /**
   * Returns the partitions of which a node may have a voter: those whose replicas the plan gives
   * it. If the placement of replicas has changed, all partitions, as surplus replicas keep voting
   * for a while.
   */
  Set<Integer> mayVote(NodePlan plan, String node) {
    return plan.hasChangedNumber() ? all() : plan.assignedTo(node);
  }

  /** Returns all partitions. */
  Set<Integer> all() {
    return view.owners().stream()
        .map(MembershipView.Owner::partition)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
