package io.github.stablecut.cluster.internal.akka;

import akka.actor.NoSerializationVerificationNeeded;
import akka.cluster.ClusterEvent;
import java.util.Optional;

/** A message to a node's actor from its own process. Immutable. */
sealed interface NodeEvent extends NoSerializationVerificationNeeded {
  /**
   * A partition was opened or closed, or the node is about to leave: the next heartbeat is due now.
   */
  record FactsChanged() implements NodeEvent {}

  /** The periodic timer. */
  record Tick() implements NodeEvent {}

  /** The cluster's members have changed. */
  record MembershipChanged(ClusterEvent.ClusterDomainEvent event) implements NodeEvent {}

  /** Another node has quarantined this one: the cluster has removed it. */
  record Quarantined() implements NodeEvent {}

  /** The node's partitions are open, or can't be opened. */
  record Opened(Optional<RuntimeException> failure) implements NodeEvent {}
}
