package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;

/** Up to where everything of a partition is here. Thread-safe. */
interface Completeness {
  /** Everything at or below it is here, and stays as it is. */
  VectorClock stable();

  /** Waits until a snapshot of an object is complete and immutable. */
  void awaitComplete(Bytes id, VectorClock snapshot);

  /** Waits until a snapshot of all objects is complete. */
  void awaitComplete(VectorClock snapshot);
}
