package io.github.stablecut.cluster.internal.ring;

import akka.actor.NoSerializationVerificationNeeded;
import akka.actor.typed.ActorRef;
import akka.cluster.ClusterEvent;
import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.Optional;

/** What the actors of a cluster's nodes are told. Immutable. */
sealed interface RingMessage {
  /** What comes from other nodes; {@link RingSerializer} knows each of these. */
  sealed interface OnWire extends RingMessage {}

  /**
   * A question to the owner of a partition.
   *
   * @param epoch the partition's that the sender knows, and any other is refused; 0 if it is for
   *     the node that is asked, whether that owns the partition or not
   * @param number that no other of this sender has
   * @param clock the sender's time
   * @param from who is answered
   * @param question a {@link Question}, or the last part of one
   */
  record Ask(
      int partition,
      long epoch,
      long number,
      long clock,
      ActorRef<RingMessage> from,
      Pieces.Part question)
      implements OnWire {
    /** The same with another part of its question. */
    Ask with(Pieces.Part other) {
      return new Ask(partition, epoch, number, clock, from, other);
    }

    /** The same with the whole of its question. */
    Ask with(Bytes whole) {
      return with(new Pieces.Part(0, whole));
    }
  }

  /**
   * An answer.
   *
   * @param number that of the question
   * @param clock the sender's time
   * @param from the sender, if it is large and has to be acknowledged
   * @param reply a {@link Reply}, or the last part of one
   */
  record Answer(long number, long clock, Optional<ActorRef<RingMessage>> from, Pieces.Part reply)
      implements OnWire {}

  /**
   * An acknowledgement of parts of large messages: the sender may send more.
   *
   * @param address of the node that has got them
   */
  record Taken(String address, long bytes) implements OnWire {}

  /**
   * An answer to the driver of a transaction of several partitions.
   *
   * @param driver its number
   * @param clock the sender's time
   * @param answer what the driver is told
   */
  record Told(long driver, long clock, Bytes answer) implements OnWire {}

  /**
   * A piece of a message that is too large for one frame; the pieces come in order, before the
   * message itself, which has the last of them.
   *
   * @param partition that the message is for; {@link #ANSWER} if it is one
   * @param number the message's
   * @param from the sender
   */
  record Piece(int partition, long number, ActorRef<RingMessage> from, Pieces.Part part)
      implements OnWire {
    /** What is said instead of a partition of an answer. */
    static final int ANSWER = -1;
  }

  /**
   * A node that wants to join says who it is; a member asks whether a node that it does not reach
   * is in another cluster.
   *
   * @param claims what its directory says; empty if it belongs to no cluster, or is a member
   * @param member its place in its cluster; empty if it wants to join one
   */
  record Hello(
      NodeFacts facts,
      Optional<Claims> claims,
      Optional<Standing> member,
      ActorRef<RingMessage> from)
      implements OnWire {}

  /**
   * The answer of a member: who has greeted it may join, or is told where the member is.
   *
   * @param member who says so
   * @param isTogether whether the one that has greeted is a member of the same cluster
   */
  record Welcome(Standing member, boolean isTogether) implements OnWire {}

  /**
   * Nobody is asked here: the node that was greeted waits to be let in too.
   *
   * @param address its own
   */
  record Waiting(String address) implements OnWire {}

  /** It may not join. */
  record Refused(String reason) implements OnWire {}

  /**
   * A node says who and how it is, a few times per second.
   *
   * @param heard the addresses of the members that it hears
   */
  record Presence(NodeFacts facts, List<String> heard, ActorRef<RingMessage> from)
      implements OnWire {
    /** Copies the list. */
    public Presence {
      heard = List.copyOf(heard);
    }
  }

  /** What stays on a node. */
  sealed interface Inside extends RingMessage, NoSerializationVerificationNeeded {}

  /**
   * A partition was opened or closed, or the node is about to leave: the others should know soon.
   */
  record FactsChanged() implements Inside {}

  /** Time has passed. */
  record Tick() implements Inside {}

  /** The cluster's members have changed. */
  record Membership(ClusterEvent.ClusterDomainEvent event) implements Inside {}

  /** Another node takes nothing from this one any more: the cluster has removed it. */
  record Shunned() implements Inside {}

  /** The node's partitions are open, or can't be opened. */
  record Opened(Optional<RuntimeException> failure) implements Inside {}
}
