package io.github.stablecut.internal.transaction;

import io.github.stablecut.Scan;
import java.util.Optional;

/** A scan of a store in this process, for whoever sends what it finds elsewhere. */
public interface StateScan extends Scan {
  /** The state of the object that {@link #next} gave last; empty if the scan is of keys only. */
  Optional<Object> state();
}
