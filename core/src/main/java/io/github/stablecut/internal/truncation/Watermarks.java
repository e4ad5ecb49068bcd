package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;

/**
 * The five times of the report (section 2.7.2) at one point in time. Immutable.
 *
 * <p>The report keeps one version of each object in its checkpoint store, so a running transaction
 * delays checkpoints. Here older checkpoints coexist with newer ones, so it delays only truncation:
 * the report's invariant {@code checkpoint time ≤ min dependency} holds for the low watermark
 * instead.
 *
 * @param lowWatermark the oldest snapshot that may be read
 * @param checkpointTime the vector of the newest checkpoint
 * @param causalSafePoint the vector up to which this data centre's partitions are complete; here
 *     the stable vector
 * @param minDependency the oldest snapshot that an open transaction or a pin needs
 * @param maxCommitted the newest commit in the journal
 */
public record Watermarks(
    VectorClock lowWatermark,
    VectorClock checkpointTime,
    VectorClock causalSafePoint,
    VectorClock minDependency,
    VectorClock maxCommitted) {

  /**
   * Checks the invariants.
   *
   * @throws IllegalStateException if one is broken; the message names it
   */
  public Watermarks {
    require(lowWatermark, "low watermark", checkpointTime, "checkpoint time");
    require(lowWatermark, "low watermark", minDependency, "min dependency");
    require(checkpointTime, "checkpoint time", causalSafePoint, "causal safe point");
    require(causalSafePoint, "causal safe point", maxCommitted, "max committed");
  }

  /** The joins of the times of two partitions. */
  public Watermarks join(Watermarks other) {
    return new Watermarks(
        lowWatermark.join(other.lowWatermark),
        checkpointTime.join(other.checkpointTime),
        causalSafePoint.join(other.causalSafePoint),
        minDependency.join(other.minDependency),
        maxCommitted.join(other.maxCommitted));
  }

  private static void require(
      VectorClock lower, String lowerName, VectorClock upper, String upperName) {
    if (!lower.isAtOrBefore(upper)) {
      throw new IllegalStateException(
          "invariant broken: %s %s is not at or before %s %s"
              .formatted(lowerName, lower, upperName, upper));
    }
  }
}
