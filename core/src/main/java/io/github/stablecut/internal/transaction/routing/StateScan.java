package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.Scan;
import io.github.stablecut.crdt.Bytes;
import java.util.Optional;

/** A scan of a store in this process whose results are sent to another process. */
public interface StateScan extends Scan {
  /** The id of the object that {@link #next} returned last. */
  Bytes id();

  /**
   * The state of the object that {@link #next} returned last; empty if the scan returns keys only.
   */
  Optional<Object> state();

  /**
   * The approximate bytes of the objects that the scan holds: those read ahead and the last one
   * returned.
   */
  long heldBytes();
}
