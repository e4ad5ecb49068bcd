package io.github.stablecut.cluster.internal.akka;

import io.github.stablecut.cluster.internal.membership.NodeFacts;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import java.util.List;

/** What the node's process does for its actor. */
public interface NodeHost {
  /** The node as it is now, without what it knows of others. */
  NodeFacts facts();

  /** What the node's directory says of partitions, before it opens any. */
  List<PartitionClaim> claims();

  /**
   * Opens the partitions of a plan, and says so to the actor. Does not block.
   *
   * @param elsewhere partitions that the plan gives the node, but others own by now
   */
  void open(NodePlan plan, List<NodeFacts.Ownership> elsewhere);

  /** Takes note that all partitions have been there. Does not block. */
  void formed();

  /** Partitions may have other owners. */
  void changed();

  /** All is there that is needed to serve. */
  void ready();

  /** Another cluster was found that should be this one, and this one stays. */
  void warn(String problem);

  /** The node can't go on. */
  void failed(RuntimeException why);

  /**
   * The actor has ended: nobody hears of the other nodes any more.
   *
   * @param isRemoved whether the cluster has removed this node
   */
  void stopped(boolean isRemoved);
}
