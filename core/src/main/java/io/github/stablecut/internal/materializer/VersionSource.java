package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.Version;
import java.util.Optional;

/**
 * Answers what an object was at a snapshot. Every implementation gives the same answer for every
 * snapshot that is still kept; they differ in what it costs. Thread-safe.
 */
public interface VersionSource {
  /**
   * The state of an object with the effects of exactly the transactions that a snapshot sees.
   *
   * @param snapshot at or below the partition's stable vector
   * @return empty if nothing was ever done to the object; an object that the snapshot doesn't see
   *     yet may be empty or have its type's initial state
   */
  Optional<Version> versionAt(Bytes id, VectorClock snapshot);
}
