package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the membership of a node asks about it while it decides. Queries only. */
public interface MembershipContext {
  /** How the cluster's protocol sees this node. */
  enum Status {
    /** Not a member yet. */
    OUTSIDE,
    /** A member. */
    MEMBER,
    /** Not a member any more. */
    REMOVED
  }

  /** A time that never goes back, in nanoseconds. */
  long nanoTime();

  /** The node as it is now, without what it knows of others. */
  GossipedNodeState facts();

  /** What the node's directory says of partitions, before it opens any. */
  List<PartitionClaim> claims();

  /**
   * The addresses of the members that its directory remembers from earlier runs at the same
   * address; perhaps none.
   */
  Set<String> remembered();

  /** This node's own status; of this run of it, not of its address. */
  Status status();

  /** Tells this run of the node from earlier ones. */
  long uid();

  /** All members, those that are about to be removed among them. */
  List<MemberState> members();

  /**
   * The plan on which the nodes have agreed in the register of layouts, if it is newer than the
   * directory's: nobody may have told it. Empty on a node that does not keep the register.
   */
  Optional<NodePlan> agreed();

  /** An id for a new store. */
  long newStoreId();
}
