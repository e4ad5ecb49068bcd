package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.cluster.internal.membership.ClusterSummary;
import io.github.stablecut.cluster.internal.membership.DirectoryEpochs;
import io.github.stablecut.cluster.internal.membership.NodeFacts;
import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.Optional;

/** What the nodes of a cluster tell each other. Immutable. */
public sealed interface NodeMessage {
  /**
   * A request to the owner of a partition.
   *
   * @param epoch the partition's that the sender knows, and any other is refused; 0 if it is for
   *     the node that is asked, whether that owns the partition or not
   * @param number that no other of this sender has
   * @param clock the sender's time
   * @param from who is answered
   * @param request a {@link Request}, or the last part of one
   */
  record RequestEnvelope(
      int partition, long epoch, long number, long clock, NodeRef from, Fragment request)
      implements NodeMessage {
    /** The same with another part of its request. */
    public RequestEnvelope with(Fragment other) {
      return new RequestEnvelope(partition, epoch, number, clock, from, other);
    }

    /** The same with the whole of its request. */
    public RequestEnvelope with(Bytes whole) {
      return with(new Fragment(0, whole));
    }
  }

  /**
   * An answer.
   *
   * @param number that of the request
   * @param clock the sender's time
   * @param from the sender, if it is large and has to be acknowledged
   * @param reply a {@link Reply}, or the last part of one
   */
  record ReplyEnvelope(long number, long clock, Optional<NodeRef> from, Fragment reply)
      implements NodeMessage {}

  /**
   * An acknowledgement of parts of large messages: the sender may send more.
   *
   * @param address of the node that has got them
   */
  record FragmentAck(String address, long bytes) implements NodeMessage {}

  /**
   * An answer to the driver of a transaction of several partitions.
   *
   * @param driver its number
   * @param clock the sender's time
   * @param answer what the driver is told
   */
  record DriverReply(long driver, long clock, Bytes answer) implements NodeMessage {}

  /**
   * A piece of a message that is too large for one frame; the pieces come in order, before the
   * message itself, which has the last of them.
   *
   * @param partition that the message is for; {@link #ANSWER} if it is one
   * @param number the message's
   * @param from the sender
   */
  record FragmentMessage(int partition, long number, NodeRef from, Fragment part)
      implements NodeMessage {
    /** What is said instead of a partition of an answer. */
    public static final int ANSWER = -1;
  }

  /**
   * A node that wants to join says who it is; a member asks whether a node that it does not reach
   * is in another cluster.
   *
   * @param epochs what its directory says; empty if it belongs to no cluster, or is a member
   * @param member its place in its cluster; empty if it wants to join one
   */
  record Hello(
      NodeFacts facts,
      Optional<DirectoryEpochs> epochs,
      Optional<ClusterSummary> member,
      NodeRef from)
      implements NodeMessage {}

  /**
   * The answer of a member: who has greeted it may join, or is told where the member is.
   *
   * @param member who says so
   * @param isTogether whether the one that has greeted is a member of the same cluster
   */
  record Welcome(ClusterSummary member, boolean isTogether) implements NodeMessage {}

  /**
   * Nobody is asked here: the node that was greeted waits to be let in too.
   *
   * @param address its own
   */
  record Waiting(String address) implements NodeMessage {}

  /** It may not join. */
  record Refused(String reason) implements NodeMessage {}

  /**
   * A node says who and how it is, a few times per second.
   *
   * @param heard the addresses of the members that it hears
   */
  record Heartbeat(NodeFacts facts, List<String> heard, NodeRef from) implements NodeMessage {
    /** Copies the list. */
    public Heartbeat {
      heard = List.copyOf(heard);
    }
  }
}
