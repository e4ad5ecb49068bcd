package io.github.stablecut.internal.transaction;

import io.github.stablecut.Pin;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.PartitionAccess;

/** A pin of an embedded store: its snapshot stays readable until the pin is closed. Thread-safe. */
final class EmbeddedPin extends EmbeddedSnapshot implements Pin {
  private final PartitionAccess.HeldSnapshot registration;

  EmbeddedPin(EmbeddedStore store, VectorClock vector, PartitionAccess.HeldSnapshot registration) {
    super(store, vector);
    this.registration = registration;
  }

  @Override
  public void close() {
    registration.end();
  }
}
