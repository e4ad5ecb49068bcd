package io.github.stablecut.cluster.internal.handoff;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.MoveFacts;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.recovery.NodePlan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The order of an operator that nodes which are lost for ever are forgotten: the partitions that
 * they had, and that exist once, begin anew, empty, on this node. Thread-safe.
 *
 * <p>Their epochs are so far above those that were heard of last that a forgotten node which comes
 * back all the same, however often it was started meanwhile, is refused as one with an older
 * directory. Only one node takes such orders, and only while it reaches all that are not forgotten,
 * so that no partition begins anew twice.
 */
public final class Forgetting {
  /** More than the openings of a directory. */
  private static final long EPOCHS = 1L << 20;

  private final NodePartitions partitions;
  private final MembershipView view;
  private final Consumer<String> remover;

  /**
   * @param remover has the cluster remove the member at an address
   */
  public Forgetting(NodePartitions partitions, MembershipView view, Consumer<String> remover) {
    this.partitions = partitions;
    this.view = view;
    this.remover = remover;
  }

  /**
   * What is lost with nodes. Changes nothing.
   *
   * @return the partitions that would begin anew, ascending
   * @throws MoveRefusedException if the nodes can't be forgotten, or not now, or not here
   */
  public List<Integer> lost(Set<String> nodes) {
    NodePlan plan = plan();
    check(plan, nodes);
    return owned(plan, nodes).stream().map(MembershipView.Owner::partition).toList();
  }

  /**
   * Forgets nodes. May be done again after a failure.
   *
   * @param agreed the partitions that are known to begin anew
   * @throws MoveRefusedException also if they are others; then nothing was changed
   */
  public synchronized void forget(Set<String> nodes, Set<Integer> agreed) {
    NodePlan plan = plan();
    check(plan, nodes);
    List<MembershipView.Owner> lost = owned(plan, nodes);
    Set<Integer> numbers = new TreeSet<>();
    lost.forEach(owner -> numbers.add(owner.partition()));
    if (!numbers.equals(agreed)) {
      throw new MoveRefusedException(
          "the nodes %s had the partitions %s, not %s: nothing was changed; look again"
              .formatted(new TreeSet<>(nodes), numbers, new TreeSet<>(agreed)));
    }
    List<Integer> begun = new ArrayList<>();
    for (MembershipView.Owner owner : lost) {
      begin(owner, begun);
    }
    view.away().stream()
        .filter(away -> nodes.contains(away.name()))
        .forEach(away -> remover.accept(away.address()));
  }

  private void begin(MembershipView.Owner owner, List<Integer> begun) {
    long newest = Math.max(owner.epoch(), partitions.newestEpoch());
    try {
      partitions.beginAnew(owner.partition(), newest + EPOCHS);
      begun.add(owner.partition());
    } catch (IOException | StablecutException e) {
      String why = e instanceof IOException io ? IoReason.of(io) : String.valueOf(e.getMessage());
      throw new MoveRefusedException(
          "partition %d can't begin anew: %s; the partitions %s have, remove the cause and look again"
              .formatted(owner.partition(), why, begun));
    }
  }

  private NodePlan plan() {
    if (view.hasCopies()) {
      throw new MoveRefusedException(
          "the partitions of this cluster have copies, so nothing has to be lost: have another node take the place of the lost one (stablecut cluster replace)");
    }
    return partitions
        .plan()
        .filter(NodePlan::isFormed)
        .orElseThrow(
            () ->
                new MoveRefusedException(
                    "this cluster is not formed yet: end all nodes, and begin with empty directories"));
  }

  /** The partitions of nodes; of those that nobody has said to own, the plan's. */
  private List<MembershipView.Owner> owned(NodePlan plan, Set<String> nodes) {
    Set<Integer> given = new HashSet<>();
    nodes.forEach(node -> given.addAll(plan.given(node)));
    return view.owners().stream()
        .filter(
            owner ->
                owner.node().isEmpty()
                    ? given.contains(owner.partition())
                    : nodes.contains(owner.node()))
        .toList();
  }

  private void check(NodePlan plan, Set<String> nodes) {
    for (String node : nodes) {
      checkKnown(plan, node);
    }
    for (MembershipView.Away away : view.away()) {
      if (!nodes.contains(away.name())) {
        throw new MoveRefusedException(
            "the member at %s%s can't be reached either, and may have been given such an order: wait for it, or forget it, too"
                .formatted(
                    away.address(), away.name().isEmpty() ? "" : ", node " + away.name() + ","));
      }
      if (!away.isSilent()) {
        throw new MoveRefusedException(
            "node %s was heard a few seconds ago: only one that is lost for ever is forgotten; try again soon"
                .formatted(away.name()));
      }
    }
    checkOwners(nodes);
    String first = view.nodes().keySet().stream().sorted().findFirst().orElse("");
    if (!first.equals(partitions.name())) {
      throw new MoveRefusedException(
          "only one node takes this order, so that nothing begins anew twice: ask node %s"
              .formatted(first));
    }
    for (MoveFacts move : view.moves()) {
      if (nodes.contains(move.from()) && !move.isOver()) {
        throw new MoveRefusedException(
            "partition %d was being moved from node %s, and node %s may have all of it: keep a copy of its directory, and start it again; if it still waits then, take the directory p%d.incoming out of it"
                .formatted(move.partition(), move.from(), move.to(), move.partition()));
      }
    }
    if (partitions.isAmongOthers()) {
      throw new MoveRefusedException(
          "this cluster is a data centre among others, which have what is lost: detach it there, and join again with empty directories");
    }
  }

  /**
   * Another owner that is away may be lost, too, or know of moves that nobody here has heard of.
   */
  private void checkOwners(Set<String> nodes) {
    for (MembershipView.Owner owner : view.owners()) {
      if (!owner.node().isEmpty()
          && !view.nodes().containsKey(owner.node())
          && !nodes.contains(owner.node())) {
        throw new MoveRefusedException(
            "node %s, which has partition %d, can't be reached either: start it, or forget it, too"
                .formatted(owner.node(), owner.partition()));
      }
    }
  }

  private void checkKnown(NodePlan plan, String node) {
    boolean isKnown =
        plan.owners().contains(node)
            || view.owners().stream().anyMatch(owner -> owner.node().equals(node))
            || view.away().stream().anyMatch(away -> away.name().equals(node));
    if (view.nodes().containsKey(node)) {
      throw new MoveRefusedException(
          "node %s is there: only one that is lost for ever is forgotten; to have it leave: stablecut cluster leave"
              .formatted(node));
    }
    if (!isKnown) {
      throw new MoveRefusedException(
          "nobody has heard of a node %s: look at the names in stablecut cluster status"
              .formatted(node));
    }
  }
}
