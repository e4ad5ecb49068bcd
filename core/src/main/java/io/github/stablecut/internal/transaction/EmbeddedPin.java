package io.github.stablecut.internal.transaction;

import io.github.stablecut.Pin;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.PartitionAccess;

/** A snapshot of an embedded store that stays readable until this is closed. Thread-safe. */
final class EmbeddedPin extends EmbeddedSnapshot implements Pin {
  private final PartitionAccess.HeldSnapshot claim;

  EmbeddedPin(EmbeddedStore store, VectorClock vector, PartitionAccess.HeldSnapshot claim) {
    super(store, vector);
    this.claim = claim;
  }

  @Override
  public void close() {
    claim.end();
  }
}
