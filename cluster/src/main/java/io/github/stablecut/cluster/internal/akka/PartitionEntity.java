package io.github.stablecut.cluster.internal.akka;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import akka.cluster.sharding.typed.ShardingMessageExtractor;
import akka.cluster.sharding.typed.javadsl.EntityTypeKey;
import io.github.stablecut.cluster.internal.remote.RequestGate;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import java.util.function.Predicate;

/**
 * The entity of a partition: brings requests to it and answers back. It holds nothing: the
 * partition is open where its directory is, whether or not there is an entity, and every request
 * names the epoch that it is for. So a second entity, or one in the wrong place, changes nothing.
 */
@SuppressWarnings("serial") // Akka's types of functions are serialisable; nobody serialises these
final class PartitionEntity {
  /** What all nodes call the entities. */
  static final EntityTypeKey<NodeMessage> KEY =
      EntityTypeKey.create(NodeMessage.class, "partition");

  private PartitionEntity() {}

  /**
   * The behaviour of an entity.
   *
   * @param gate answers
   * @param onward takes what is for another node's partition, and says whether it is
   */
  static Behavior<NodeMessage> create(
      RequestGate gate, Predicate<NodeMessage.RequestEnvelope> onward) {
    return Behaviors.receive(NodeMessage.class)
        .onMessage(
            NodeMessage.RequestEnvelope.class,
            request -> {
              // Large ones go to the owner's node, and no part of them comes here.
              if (request.request().offset() == 0 && !onward.test(request)) {
                gate.answer(request, () -> {});
              }
              return Behaviors.same();
            })
        .build();
  }

  /** Which partition a message is for. */
  static final class Extractor extends ShardingMessageExtractor<NodeMessage, NodeMessage> {
    @Override
    public String entityId(NodeMessage message) {
      if (message instanceof NodeMessage.RequestEnvelope ask) {
        return Integer.toString(ask.partition());
      }
      return "";
    }

    @Override
    public String shardId(String entityId) {
      return entityId;
    }

    @Override
    public NodeMessage unwrapMessage(NodeMessage message) {
      return message;
    }
  }
}
