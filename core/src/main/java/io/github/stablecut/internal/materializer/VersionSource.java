package io.github.stablecut.internal.materializer;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.Version;
import java.util.Optional;

/**
 * Returns objects as of a snapshot. All implementations return the same results for every readable
 * snapshot and differ in cost only. Thread-safe.
 */
public interface VersionSource {
  /**
   * Returns the state of an object with the effects of exactly the transactions that a snapshot
   * sees.
   *
   * @param snapshot at or below the partition's stable vector
   * @return empty if the object has no effects; for an object that the snapshot does not see yet,
   *     empty or its type's initial state
   */
  @CanIgnoreReturnValue
  Optional<Version> versionAt(Bytes id, VectorClock snapshot);
}
