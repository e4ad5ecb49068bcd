package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.cluster.internal.membership.ClusterSummary;
import io.github.stablecut.cluster.internal.membership.DirectoryEpochs;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.Optional;

/** A message between nodes of a cluster. Immutable. */
public sealed interface NodeMessage {
  /** Calls the receiver's method for this kind of message. */
  <R> R handTo(Receiver<R> receiver);

  /**
   * Handles each kind of message.
   *
   * @param <R> the result
   */
  interface Receiver<R> {
    /** {@link RequestEnvelope}. */
    R request(RequestEnvelope message);

    /** {@link ReplyEnvelope}. */
    R reply(ReplyEnvelope message);

    /** {@link FragmentAck}. */
    R fragmentAck(FragmentAck message);

    /** {@link DriverReply}. */
    R driverReply(DriverReply message);

    /** {@link FragmentMessage}. */
    R fragment(FragmentMessage message);

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
  }

  /**
   * A request to the owner of a partition.
   *
   * @param epoch the partition's epoch as the sender knows it: the receiver rejects any other; 0 if
   *     the request is for the node, whether or not it owns the partition
   * @param number unique among the sender's requests
   * @param clock the sender's clock
   * @param from where to send the reply
   * @param request a {@link Request}, or its last fragment
   */
  record RequestEnvelope(
      int partition, long epoch, long number, long clock, NodeRef from, Fragment request)
      implements NodeMessage {
    /** Returns the same envelope with another fragment of its request. */
    public RequestEnvelope with(Fragment other) {
      return new RequestEnvelope(partition, epoch, number, clock, from, other);
    }

    /** Returns the same envelope with its complete request. */
    public RequestEnvelope with(Bytes whole) {
      return with(new Fragment(0, whole));
    }

    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.request(this);
    }
  }

  /**
   * A reply.
   *
   * @param number the number of the request
   * @param clock the sender's clock
   * @param from the sender, if the reply is large and has to be acknowledged
   * @param reply a {@link Reply}, or its last fragment
   */
  record ReplyEnvelope(long number, long clock, Optional<NodeRef> from, Fragment reply)
      implements NodeMessage {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.reply(this);
    }
  }

  /**
   * Acknowledges fragments of large messages, so that the sender may send more.
   *
   * @param address the address of the node that received them
   */
  record FragmentAck(String address, long bytes) implements NodeMessage {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.fragmentAck(this);
    }
  }

  /**
   * An answer of a partition to the driver of a distributed transaction.
   *
   * @param driver the number of the driver
   * @param clock the sender's clock
   * @param answer the encoded answer
   */
  record DriverReply(long driver, long clock, Bytes answer) implements NodeMessage {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.driverReply(this);
    }
  }

  /**
   * A fragment of a message that is too large for one frame. The fragments arrive in order, before
   * the envelope of the message, which holds the last one.
   *
   * @param partition the partition that a request is for; {@link #ANSWER} for a reply
   * @param number the number of the message
   * @param from the sender
   */
  record FragmentMessage(int partition, long number, NodeRef from, Fragment part)
      implements NodeMessage {
    /** Stands for the partition if the message is a reply. */
    public static final int ANSWER = -1;

    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.fragment(this);
    }
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
}
