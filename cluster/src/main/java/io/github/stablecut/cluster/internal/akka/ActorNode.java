package io.github.stablecut.cluster.internal.akka;

import akka.actor.Address;
import akka.actor.typed.ActorRef;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import java.util.Optional;

/**
 * A node by its actor.
 *
 * @param actor the actor of the node
 */
record ActorNode(ActorRef<NodeMessage> actor) implements NodeRef {
  @Override
  public void tell(NodeMessage message) {
    actor.tell(message);
  }

  @Override
  public Optional<String> address() {
    Address address = actor.path().address();
    return address.hasLocalScope() ? Optional.empty() : Optional.of(hostPort(address));
  }

  /** An address of Akka's as {@code host:port}. */
  static String hostPort(Address address) {
    return address.hostPort().replaceFirst(".*@", "");
  }
}
