package io.github.stablecut.cluster.internal.akka;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import akka.cluster.sharding.typed.ShardingMessageExtractor;
import akka.cluster.sharding.typed.javadsl.EntityTypeKey;
import io.github.stablecut.cluster.internal.remote.RequestGate;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import java.util.function.Predicate;

/**
 * The entity of a partition, which passes requests to it. It is stateless: the partition is open
 * where its directory is, with or without an entity, and every request names an epoch as fencing
 * token. So a duplicate or misplaced entity does no harm.
 */
@SuppressWarnings(
    "serial") // Akka's function types are serializable; these functions are never serialized
final class PartitionEntity {
  /** The type of the entities, the same on all nodes. */
  static final EntityTypeKey<NodeMessage> KEY =
      EntityTypeKey.create(NodeMessage.class, "partition");

  private PartitionEntity() {}

  /**
   * The behaviour of an entity.
   *
   * @param gate answers requests
   * @param onward forwards a request for a partition that moved to another node; returns whether it
   *     did
   */
  static Behavior<NodeMessage> create(
      RequestGate gate, Predicate<NodeMessage.RequestEnvelope> onward) {
    return Behaviors.receive(NodeMessage.class)
        .onMessage(
            NodeMessage.RequestEnvelope.class,
            request -> {
              // Large requests go directly to the owner's node; their fragments are ignored here.
              if (request.request().offset() == 0 && !onward.test(request)) {
                gate.answer(request, () -> {});
              }
              return Behaviors.same();
            })
        .build();
  }

  /** Extracts the partition of a message. */
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
