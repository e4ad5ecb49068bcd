package io.github.stablecut.cluster.internal.akka;

import akka.actor.NoSerializationVerificationNeeded;
import akka.cluster.ClusterEvent;
import java.util.Optional;

/** A message to a node's actor from its own process. Immutable. */
sealed interface NodeEvent extends NoSerializationVerificationNeeded {
  /** Calls the receiver's method for this kind of event. */
  <R> R handTo(Receiver<R> receiver);

  /**
   * Handles each kind of event.
   *
   * @param <R> the result
   */
  interface Receiver<R> {
    /** {@link FactsChanged}. */
    R factsChanged(FactsChanged event);

    /** {@link Tick}. */
    R tick(Tick event);

    /** {@link MembershipChanged}. */
    R membershipChanged(MembershipChanged event);

    /** {@link Quarantined}. */
    R quarantined(Quarantined event);

    /** {@link Opened}. */
    R opened(Opened event);
  }

  /**
   * A partition was opened or closed, or the node is about to leave: the next heartbeat is due now.
   */
  record FactsChanged() implements NodeEvent {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.factsChanged(this);
    }
  }

  /** The periodic timer. */
  record Tick() implements NodeEvent {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.tick(this);
    }
  }

  /** The cluster's members have changed. */
  record MembershipChanged(ClusterEvent.ClusterDomainEvent event) implements NodeEvent {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.membershipChanged(this);
    }
  }

  /** Another node has quarantined this one: the cluster has removed it. */
  record Quarantined() implements NodeEvent {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.quarantined(this);
    }
  }

  /** The node's partitions are open, or can't be opened. */
  record Opened(Optional<RuntimeException> failure) implements NodeEvent {
    @Override
    public <R> R handTo(Receiver<R> receiver) {
      return receiver.opened(this);
    }
  }
}
