package io.github.stablecut.cluster.internal.akka;

import akka.actor.NoSerializationVerificationNeeded;
import akka.cluster.ClusterEvent;
import java.util.Optional;

/** What a node's actor is told by its own process. Immutable. */
sealed interface NodeEvent extends NoSerializationVerificationNeeded {
  /**
   * A partition was opened or closed, or the node is about to leave: the others should know soon.
   */
  record FactsChanged() implements NodeEvent {}

  /** Time has passed. */
  record Tick() implements NodeEvent {}

  /** The cluster's members have changed. */
  record MembershipChanged(ClusterEvent.ClusterDomainEvent event) implements NodeEvent {}

  /** Another node takes nothing from this one any more: the cluster has removed it. */
  record Quarantined() implements NodeEvent {}

  /** The node's partitions are open, or can't be opened. */
  record Opened(Optional<RuntimeException> failure) implements NodeEvent {}
}
