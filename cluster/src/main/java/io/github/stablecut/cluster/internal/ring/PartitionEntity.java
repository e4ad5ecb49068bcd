package io.github.stablecut.cluster.internal.ring;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import akka.cluster.sharding.typed.ShardingMessageExtractor;
import akka.cluster.sharding.typed.javadsl.EntityTypeKey;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.Message;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The entity of a partition: brings questions to it and answers back. It holds nothing: the
 * partition is open where its directory is, whether or not there is an entity, and every question
 * names the epoch that it is for. So a second entity, or one in the wrong place, changes nothing.
 */
@SuppressWarnings("serial") // Akka's types of functions are serialisable; nobody serialises these
final class PartitionEntity {
  /** What all nodes call the entities. */
  static final EntityTypeKey<RingMessage> KEY =
      EntityTypeKey.create(RingMessage.class, "partition");

  private PartitionEntity() {}

  /**
   * The behaviour of an entity.
   *
   * @param owner answers
   * @param clock the node's
   * @param onward takes what is for another node's partition, and says whether it is
   */
  static Behavior<RingMessage> create(
      Owner owner, NodeClock clock, Predicate<RingMessage.Ask> onward) {
    Pieces pieces = new Pieces(System::nanoTime);
    return Behaviors.receive(RingMessage.class)
        .onMessage(
            RingMessage.Piece.class,
            piece -> {
              pieces.keep(piece);
              return Behaviors.same();
            })
        .onMessage(
            RingMessage.Ask.class,
            ask -> {
              finished(ask, pieces, clock)
                  .filter(onward.negate())
                  .ifPresent(whole -> answer(whole, owner, clock));
              return Behaviors.same();
            })
        .build();
  }

  /**
   * A question with all its pieces; empty if one was lost. Then it was not for any epoch of the
   * partition, and is asked again.
   */
  static Optional<RingMessage.Ask> finished(RingMessage.Ask ask, Pieces pieces, NodeClock clock) {
    Optional<Bytes> whole = pieces.finish(Optional.of(ask.from()), ask.number(), ask.question());
    if (whole.isEmpty()) {
      send(ask, new Reply.Stale(0), clock);
    }
    return whole.map(ask::with);
  }

  /** Answers a whole question. */
  static void answer(RingMessage.Ask ask, Owner owner, NodeClock clock) {
    if (!clock.admits(ask.clock())) {
      send(ask, new Reply.Failed(ClockDrift.of(ask.clock(), clock)), clock);
      return;
    }
    clock.observe(ask.clock());
    owner.answer(
        new Owner.Asked(ask.partition(), ask.epoch(), ask.clock(), ask.question().bytes()),
        number -> new RemoteDriver(number, ask.from(), clock),
        reply -> send(ask, reply, clock));
  }

  static void send(RingMessage.Ask ask, Reply reply, NodeClock clock) {
    Pieces.send(
        ReplyCodec.encode(reply),
        part -> ask.from().tell(new RingMessage.Piece(-1, ask.number(), Optional.empty(), part)),
        last -> ask.from().tell(new RingMessage.Answer(ask.number(), clock.now(), last)));
  }

  /** The driver of a transaction on another node. */
  private record RemoteDriver(long number, ActorRef<RingMessage> node, NodeClock clock)
      implements Message.Driver {
    @Override
    public void tell(Message.ToDriver answer) {
      node.tell(new RingMessage.Told(number, clock.now(), ProtocolCodec.encode(answer)));
    }
  }

  /** Which partition a message is for. */
  static final class Extractor extends ShardingMessageExtractor<RingMessage, RingMessage> {
    @Override
    public String entityId(RingMessage message) {
      if (message instanceof RingMessage.Ask ask) {
        return Integer.toString(ask.partition());
      } else if (message instanceof RingMessage.Piece piece) {
        return Integer.toString(piece.partition());
      }
      return "";
    }

    @Override
    public String shardId(String entityId) {
      return entityId;
    }

    @Override
    public RingMessage unwrapMessage(RingMessage message) {
      return message;
    }
  }
}
