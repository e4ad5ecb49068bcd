package io.github.stablecut.cluster.internal.akka;

import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Executes the decisions of a node's actor. */
public interface NodeHost {
  /** The current state of this node. */
  GossipedNodeState facts();

  /** The claims of the node's directory on partitions, before it opens any. */
  List<PartitionClaim> claims();

  /**
   * Opens the partitions of a plan, and reports the outcome to the actor. Does not block.
   *
   * @param elsewhere partitions that the plan gives this node, but other nodes own now
   */
  void open(NodePlan plan, List<GossipedNodeState.Ownership> elsewhere);

  /** The addresses of the members that the directory remembers; may be empty. */
  Set<String> remembered();

  /** The plan on which the nodes have agreed, if it is newer than that of the directory. */
  Optional<NodePlan> agreed();

  /** Writes the members' addresses to the directory, for the next start. Does not block. */
  void remember(Set<String> members);

  /** Records that all partitions have been open. Does not block. */
  void formed();

  /** Records a newer plan, also for the next start. Does not block. */
  void update(NodePlan newer);

  /** The owners of partitions may have changed. */
  void changed();

  /** The node can serve. */
  void ready();

  /** Merges the state of another node. Does not block. */
  void learn(GossipedNodeState facts);

  /** Warns administrators, for example about a competing cluster. */
  void warn(String problem);

  /** The node can't continue. */
  void failed(RuntimeException why);

  /**
   * The actor has stopped, so this node no longer hears from the others.
   *
   * @param isRemoved whether the cluster has removed this node
   */
  void stopped(boolean isRemoved);
}
