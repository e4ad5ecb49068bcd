package io.github.stablecut.cluster.internal.membership;

import java.util.List;
import java.util.Optional;

/** What nodes tell each other about membership, without who sends it. Immutable. */
public sealed interface MembershipMessage {
  /**
   * A node that wants to join says who it is; a member asks whether a node that it does not reach
   * is in another cluster.
   *
   * @param epochs what its directory says; empty if it belongs to no cluster, or is a member
   * @param member its place in its cluster; empty if it wants to join one
   */
  record Greeting(
      NodeFacts facts, Optional<DirectoryEpochs> epochs, Optional<ClusterSummary> member)
      implements MembershipMessage {}

  /**
   * The answer of a member: the node that has greeted it may join, or is told where the member is.
   *
   * @param isTogether whether the one that has greeted is a member of the same cluster
   */
  record Welcome(ClusterSummary member, boolean isTogether) implements MembershipMessage {}

  /** The node that was greeted waits to be let in too. */
  record Waiting(String address) implements MembershipMessage {}

  /** The node may not join. */
  record Refused(String reason) implements MembershipMessage {}

  /**
   * A member says who and how it is, a few times per second.
   *
   * @param heard the addresses of the members that it hears
   */
  record Heartbeat(NodeFacts facts, List<String> heard) implements MembershipMessage {
    /** Copies the list. */
    public Heartbeat {
      heard = List.copyOf(heard);
    }
  }
}
