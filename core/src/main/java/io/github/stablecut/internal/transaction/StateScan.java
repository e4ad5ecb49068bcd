package io.github.stablecut.internal.transaction;

import io.github.stablecut.Scan;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;

/** A scan of a store in this process, for whoever sends what it finds elsewhere. */
public interface StateScan extends Scan {
  /** The id of the object that {@link #next} gave last. */
  Bytes id();

  /** The state of the object that {@link #next} gave last; empty if the scan is of keys only. */
  Optional<Object> state();

  /** About how many bytes the objects have that it holds: found ahead, and given last. */
  long heldBytes();
}
