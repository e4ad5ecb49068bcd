package io.github.stablecut.internal.transaction;

import io.github.stablecut.Pin;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.truncation.ActiveSnapshots;

/** An embedded store at one point, which stays readable until this is closed. Thread-safe. */
final class EmbeddedPin extends EmbeddedSnapshot implements Pin {
  private final ActiveSnapshots.Registration claim;

  EmbeddedPin(EmbeddedStore store, VectorClock vector, ActiveSnapshots.Registration claim) {
    super(store, vector);
    this.claim = claim;
  }

  @Override
  public void close() {
    claim.end();
  }
}
