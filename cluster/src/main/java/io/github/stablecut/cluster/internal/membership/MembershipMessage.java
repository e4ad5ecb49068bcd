package io.github.stablecut.cluster.internal.membership;

import java.util.List;
import java.util.Optional;

/** A membership message between nodes, without its sender. Immutable. */
public sealed interface MembershipMessage {
  /** Calls the receiver's method for this kind. */
  void handTo(Receiver receiver);

  /** Handles each kind of message. */
  interface Receiver {
    /** Handles a request for admission, or a member's probe for other clusters. */
    void greeting(Greeting message);

    /** Handles a member's admission or answer to a probe. */
    void welcome(Welcome message);

    /** Handles the answer of a node that waits for admission itself. */
    void waiting(Waiting message);

    /** Handles a member's refusal. */
    void refused(Refused message);

    /** Handles a member's heartbeat. */
    void heartbeat(Heartbeat message);
  }

  /**
   * A request for admission, or a member's probe whether an unreachable node is in another cluster.
   *
   * @param epochs the epochs in the sender's directory; empty if it belongs to no cluster, or is a
   *     member
   * @param member the sender's cluster; empty if the sender requests admission
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
   * A member's answer to a greeting: it admits the node, or describes its own cluster.
   *
   * @param isTogether whether the greeting node is a member of the same cluster
   */
  record Welcome(ClusterSummary member, boolean isTogether) implements MembershipMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.welcome(this);
    }
  }

  /**
   * The answer of a node that waits for admission itself.
   *
   * @param address the address of that node
   * @param isFormed whether it belongs to a cluster that was formed, so that it may restart it
   */
  record Waiting(String address, boolean isFormed) implements MembershipMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.waiting(this);
    }
  }

  /**
   * A member's refusal to admit a node.
   *
   * @param member the refusing member and its cluster
   */
  record Refused(ClusterSummary member, String reason) implements MembershipMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.refused(this);
    }
  }

  /**
   * A member's state, which it sends several times per second.
   *
   * @param receivedFrom the addresses of the members that the sender hears
   */
  record Heartbeat(GossipedNodeState facts, List<String> receivedFrom)
      implements MembershipMessage {
    /** Copies the list. */
    public Heartbeat {
      receivedFrom = List.copyOf(receivedFrom);
    }

    @Override
    public void handTo(Receiver receiver) {
      receiver.heartbeat(this);
    }
  }
}
