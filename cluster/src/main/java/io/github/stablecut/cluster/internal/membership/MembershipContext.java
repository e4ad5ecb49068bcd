package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The state of a node that {@link Membership} queries while it handles an event. Queries only. */
public interface MembershipContext {
  /** This node's status in Akka's cluster. */
  enum Status {
    /** Not a member yet. */
    OUTSIDE,
    /** A member. */
    MEMBER,
    /** Removed from the cluster. */
    REMOVED
  }

  /** The time of a monotonic clock, in nanoseconds. */
  long nanoTime();

  /** The node's current state, without its knowledge of others. */
  GossipedNodeState facts();

  /** The claims of the node's directory on partitions, before it opens any. */
  List<PartitionClaim> claims();

  /**
   * The members' addresses in its directory, from earlier runs at the same address; may be empty.
   */
  Set<String> remembered();

  /** The status of this run of the node, not of an earlier node at its address. */
  Status status();

  /** Distinguishes this run of the node from earlier ones. */
  long uid();

  /** All members, including those that are being removed. */
  List<MemberState> members();

  /**
   * The plan on which the nodes agreed in the configuration register, if it is newer than the
   * directory's; no member may have sent it. Empty on a node that does not keep the register.
   */
  Optional<NodePlan> agreed();

  /**
   * Returns the reason why a node that this one contacted in the last seconds does not belong to
   * this cluster, if a certificate shows that.
   */
  Optional<String> tlsRefusal();

  /** Generates an id for a new store. */
  long newStoreId();
}
