package io.github.stablecut.cluster.internal.ring;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import akka.cluster.sharding.typed.ShardingMessageExtractor;
import akka.cluster.sharding.typed.javadsl.EntityTypeKey;
import io.github.stablecut.internal.partition.Message;
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
      Owner owner, NodeClock clock, Replies replies, Predicate<RingMessage.Ask> onward) {
    return Behaviors.receive(RingMessage.class)
        .onMessage(
            RingMessage.Ask.class,
            ask -> {
              // Large ones go to the owner's node, and no part of them comes here.
              if (ask.question().offset() == 0 && !onward.test(ask)) {
                answer(ask, owner, clock, replies, () -> {});
              }
              return Behaviors.same();
            })
        .build();
  }

  /**
   * Answers a whole question.
   *
   * @param done called once its bytes are not needed any more
   */
  static void answer(
      RingMessage.Ask ask, Owner owner, NodeClock clock, Replies replies, Runnable done) {
    if (!clock.admits(ask.clock())) {
      done.run();
      replies.send(ask, new Reply.Failed(ClockDrift.of(ask.clock(), clock)));
      return;
    }
    clock.observe(ask.clock());
    owner.answer(
        new Owner.Asked(ask.partition(), ask.epoch(), ask.clock(), ask.question().bytes()),
        number -> new RemoteDriver(number, ask.from(), clock),
        reply -> replies.send(ask, reply),
        done);
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
