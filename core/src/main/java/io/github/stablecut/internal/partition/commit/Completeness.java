package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;

/** The vectors at which a partition is complete in this process. Thread-safe. */
public interface Completeness {
  /** The stable vector: everything at or below it is known and immutable. */
  VectorClock stable();

  /** Waits until a snapshot of an object is complete and immutable. */
  void awaitComplete(Bytes id, VectorClock snapshot);

  /** Waits until a snapshot of all objects is complete. */
  void awaitComplete(VectorClock snapshot);
}
