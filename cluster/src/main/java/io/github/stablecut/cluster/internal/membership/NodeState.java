package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.PartitionClaim;
import java.util.List;
import java.util.Set;

/** What the membership of a node asks about it while it decides. Queries only. */
public interface NodeState {
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
  NodeFacts facts();

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

  /** An id for a new store. */
  long newStoreId();
}
