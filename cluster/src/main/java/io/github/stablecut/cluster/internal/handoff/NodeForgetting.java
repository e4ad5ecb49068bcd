package io.github.stablecut.cluster.internal.handoff;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.ResetOwners;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.recovery.NodePlan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Executes the operator command that forgets permanently lost nodes: the unreplicated partitions
 * that they had are reset, empty, on this node. Thread-safe.
 *
 * <p>While partitions get replicas, these are the partitions that no replica has entered in the
 * configuration register. This node enters an empty one, so no other can be entered.
 *
 * <p>Their epochs are far above the last known ones. A forgotten node that returns, however often
 * it was started meanwhile, is therefore refused for its older directory, or ends. While it is
 * alive and cut off, nothing keeps it from serving clients that reach it: there is no majority to
 * ask.
 */
public final class NodeForgetting {
  private final NodePartitions partitions;
  private final MembershipView view;
  private final Consumer<String> remover;
  private final ForgettingRules rules;

  /**
   * @param remover removes the member at an address from the cluster
   */
  public NodeForgetting(NodePartitions partitions, MembershipView view, Consumer<String> remover) {
    this.partitions = partitions;
    this.view = view;
    this.remover = remover;
    this.rules = new ForgettingRules(view);
  }

  /**
   * Returns the partitions that are lost with nodes. Changes nothing.
   *
   * @return the partitions that would be reset, ascending
   * @throws MoveRefusedException if the nodes can't be forgotten, or not now, or not here
   */
  public List<Integer> lost(Set<String> nodes) {
    return owned(nodes).stream().map(MembershipView.Owner::partition).toList();
  }

  /**
   * Forgets nodes. May be repeated after a failure.
   *
   * @param agreed the partitions that the caller expects to be reset
   * @throws MoveRefusedException also if other partitions would be reset; then nothing was changed
   */
  public synchronized void forget(Set<String> nodes, Set<Integer> agreed) {
    List<MembershipView.Owner> lost = owned(nodes);
    Set<Integer> numbers = new TreeSet<>();
    lost.forEach(owner -> numbers.add(owner.partition()));
    if (!numbers.equals(agreed)) {
      throw new MoveRefusedException(
          "the nodes %s had the partitions %s, not %s; nothing was changed: check the status, and name the partitions that it shows"
              .formatted(new TreeSet<>(nodes), numbers, new TreeSet<>(agreed)));
    }
    List<Integer> started = new ArrayList<>();
    for (MembershipView.Owner owner : lost) {
      begin(owner, started);
    }
    view.unreachable().stream()
        .filter(away -> nodes.contains(away.name()))
        .forEach(away -> remover.accept(away.address()));
  }

  private void begin(MembershipView.Owner owner, List<Integer> started) {
    try {
      if (partitions.isReplicated()) {
        partitions.resetReplica(owner.partition(), newestOfOnce() + ResetOwners.EPOCHS);
      } else {
        long newest = Math.max(owner.epoch(), partitions.newestEpoch());
        partitions.beginAnew(owner.partition(), newest + ResetOwners.EPOCHS);
      }
      started.add(owner.partition());
    } catch (IOException | StablecutException e) {
      String why = e instanceof IOException io ? IoReason.of(io) : String.valueOf(e.getMessage());
      throw new MoveRefusedException(
          "partition %d can't start empty: %s; the partitions %s have started empty: remove the cause, and check the status"
              .formatted(owner.partition(), why, started));
    }
  }

  private MoveRefusedException refusalWithReplicas(Set<String> nodes) {
    try {
      return new MoveRefusedException(rules.refusalWithReplicas(nodes, partitions::configuration));
    } catch (PartitionUnavailableException e) {
      return new MoveRefusedException(
          "%s; if most of these are lost permanently, stop all nodes, and build a store from the remaining directories (stablecut cluster recover)"
              .formatted(e.getMessage()));
    }
  }

  /** Returns the highest epoch of a partition that is still unreplicated. */
  private long newestOfOnce() {
    long after = partitions.plan().map(NodePlan::epochsAfter).orElse(0L);
    return view.owners().stream()
        .mapToLong(MembershipView.Owner::epoch)
        .filter(epoch -> epoch <= after)
        .reduce(partitions.epoch(), Math::max);
  }

  private List<MembershipView.Owner> owned(Set<String> nodes) {
    if (partitions.isReplicated() && rules.areReplicated(partitions.plan())) {
      throw refusalWithReplicas(nodes);
    }
    List<MembershipView.Owner> owned = rules.owned(partitions.plan(), nodes);
    if (partitions.isAmongOthers()) {
      throw new MoveRefusedException(
          "this cluster is one of several data centres, and the others have the lost data: detach it there, and join again with empty directories");
    }
    if (!partitions.isReplicated()) {
      return owned;
    }
    try {
      return ForgettingRules.lost(owned, nodes, partitions::configuration);
    } catch (PartitionUnavailableException e) {
      throw new MoveRefusedException(String.valueOf(e.getMessage()));
    }
  }
}
