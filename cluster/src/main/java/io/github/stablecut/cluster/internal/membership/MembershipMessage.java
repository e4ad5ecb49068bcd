package io.github.stablecut.cluster.internal.membership;

import java.util.List;
import java.util.Optional;

/** What nodes tell each other about membership, without who sends it. Immutable. */
public sealed interface MembershipMessage {
  /** Calls the receiver's method for this kind. */
  void handTo(Receiver receiver);

  /** Handles each kind of message. */
  interface Receiver {
    /** A node wants to join, or a member looks for others. */
    void greeting(Greeting message);

    /** A member has answered. */
    void welcome(Welcome message);

    /** Another node waits to be let in. */
    void waiting(Waiting message);

    /** A member has refused the node. */
    void refused(Refused message);

    /** A member says who and how it is. */
    void heartbeat(Heartbeat message);
  }

  /**
   * A node that wants to join says who it is; a member asks whether a node that it does not reach
   * is in another cluster.
   *
   * @param epochs what its directory says; empty if it belongs to no cluster, or is a member
   * @param member its place in its cluster; empty if it wants to join one
   */
  record Greeting(
      GossipedNodeState facts, Optional<DirectoryEpochs> epochs, Optional<ClusterSummary> member)
      implements MembershipMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.greeting(this);
    }
  }

  /**
   * The answer of a member: the node that has greeted it may join, or is told where the member is.
   *
   * @param isTogether whether the one that has greeted is a member of the same cluster
   */
  record Welcome(ClusterSummary member, boolean isTogether) implements MembershipMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.welcome(this);
    }
  }

  /**
   * The node that was greeted waits to be let in too.
   *
   * @param address its own
   * @param isFormed whether it belongs to a cluster that was formed, so that it may begin it again
   */
  record Waiting(String address, boolean isFormed) implements MembershipMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.waiting(this);
    }
  }

  /**
   * The node may not join.
   *
   * @param member who says so
   */
  record Refused(ClusterSummary member, String reason) implements MembershipMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.refused(this);
    }
  }

  /**
   * A member says who and how it is, a few times per second.
   *
   * @param heard the addresses of the members that it hears
   */
  record Heartbeat(GossipedNodeState facts, List<String> heard) implements MembershipMessage {
    /** Copies the list. */
    public Heartbeat {
      heard = List.copyOf(heard);
    }

    @Override
    public void handTo(Receiver receiver) {
      receiver.heartbeat(this);
    }
  }
}
