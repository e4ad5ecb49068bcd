package io.github.stablecut.cluster.internal.akka;

import akka.actor.Address;
import akka.actor.typed.ActorRef;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;

/**
 * A reference to a node's actor.
 *
 * @param actor the actor
 */
record ActorNode(ActorRef<NodeMessage> actor) implements NodeRef {
  @Override
  public void tell(NodeMessage message) {
    actor.tell(message);
  }

  /** An Akka address as {@code host:port}. */
  static String hostPort(Address address) {
    return address.hostPort().replaceFirst(".*@", "");
  }
}
