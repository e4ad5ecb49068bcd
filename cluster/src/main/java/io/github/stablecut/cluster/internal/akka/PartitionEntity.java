package io.github.stablecut.cluster.internal.akka;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import akka.cluster.sharding.typed.ShardingMessageExtractor;
import akka.cluster.sharding.typed.javadsl.EntityTypeKey;
import io.github.stablecut.cluster.internal.wire.NodeMessage;

/**
 * The entity of a partition: Akka's sharding registers where it is, which is where the partition's
 * owner is. It handles nothing, since requests use links.
 */
final class PartitionEntity {
  /** The type of the entities, the same on all nodes. */
  static final EntityTypeKey<NodeMessage> KEY =
      EntityTypeKey.create(NodeMessage.class, "partition");

  private PartitionEntity() {}

  /** The behaviour of an entity. */
  static Behavior<NodeMessage> create() {
    return Behaviors.ignore();
  }

  /** Extracts the partition of a message. */
  static final class Extractor extends ShardingMessageExtractor<NodeMessage, NodeMessage> {
    @Override
    public String entityId(NodeMessage message) {
      return message instanceof NodeMessage.Registration one
          ? Integer.toString(one.partition())
          : "";
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
