package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.cluster.internal.membership.ClusterSummary;
import io.github.stablecut.cluster.internal.membership.DirectoryEpochs;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import java.util.List;
import java.util.Optional;

/** A message between the actors of nodes, about membership. Immutable. */
public sealed interface NodeMessage {
  /** Calls the receiver's method for this kind of message. */
  <R> R handTo(Receiver<R> receiver);

  /**
   * Handles each kind of message.
   *
   * @param <R> the result
   */
  interface Receiver<R> {
    /** {@link Hello}. */
    R hello(Hello message);

    /** {@link Welcome}. */
    R welcome(Welcome message);

    /** {@link Waiting}. */
    R waiting(Waiting message);

    /** {@link Refused}. */
    R refused(Refused message);

    /** {@link Heartbeat}. */
    R heartbeat(Heartbeat message);

    /** {@link Registration}. */
    R registration(Registration message);
  }

  /**
   * Introduces a node that wants to join. A member also sends it to ask whether a node outside its
   * cluster belongs to another one.
   *
   * @param epochs the claims of its directory; empty if it belongs to no cluster, or is a member
   * @param member its cluster; empty if it wants to join one
   */
  record Hello(
      GossipedNodeState facts,
      Optional<DirectoryEpochs> epochs,
      Optional<ClusterSummary> member,
      NodeRef from)
      implements NodeMessage {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.hello(this);
    }
  }

  /**
   * A member's answer to {@link Hello}: the node may join this cluster.
   *
   * @param member the cluster of the member
   * @param isTogether whether the other node is a member of the same cluster
   */
  record Welcome(ClusterSummary member, boolean isTogether) implements NodeMessage {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.welcome(this);
    }
  }

  /**
   * The answer to {@link Hello} from a node that is not yet a member itself.
   *
   * @param address the address of that node
   * @param isFormed whether that node belongs to a cluster that was formed
   */
  record Waiting(String address, boolean isFormed) implements NodeMessage {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.waiting(this);
    }
  }

  /**
   * The answer to {@link Hello} of a member that refuses the node.
   *
   * @param member the member, and the cluster that it belongs to
   */
  record Refused(ClusterSummary member, String reason) implements NodeMessage {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.refused(this);
    }
  }

  /**
   * The heartbeat of a member, a few times per second.
   *
   * @param receivedFrom the addresses of the members whose heartbeats it receives
   */
  record Heartbeat(GossipedNodeState facts, List<String> receivedFrom, NodeRef from)
      implements NodeMessage {
    /** Copies the list. */
    public Heartbeat {
      receivedFrom = List.copyOf(receivedFrom);
    }

    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.heartbeat(this);
    }
  }

  /** Has Akka's sharding place the entity of a partition, where its owner is. */
  record Registration(int partition) implements NodeMessage {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.registration(this);
    }
  }
}
