package io.github.stablecut.internal.materializer;

import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.Version;
import java.util.List;

/**
 * Estimates the sizes of states. Measuring a state means visiting all of it, so it is done
 * occasionally, and less often for larger states: on average, the cost per effect is the effect's
 * size.
 */
final class StateSizeEstimate {
  /**
   * The minimum that an effect is assumed to add to a state until the state is measured, in bytes.
   */
  private static final int MIN_BYTES = 24;

  /** Spreads commit times over all longs (Knuth 6.4), as a source of pseudo-random numbers. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private StateSizeEstimate() {}

  /**
   * Estimates the encoded size of a state.
   *
   * @param base the version that it was folded from
   * @param effects the effects folded onto it
   * @param after the result of the fold
   * @param lastCommit the commit time of the last effect
   */
  static int estimate(Version base, List<IndexedEffect> effects, TypedFold after, long lastCommit) {
    long sum = base.bytes();
    for (IndexedEffect effect : effects) {
      sum += Math.max(MIN_BYTES, effect.bytes());
    }
    int grown = (int) Math.min(sum, Integer.MAX_VALUE);
    // Measuring a state in pages would read all of them.
    if (grown == base.bytes() || base.isInPages()) {
      return grown;
    }
    long random = Long.remainderUnsigned((lastCommit * GOLDEN) >>> 16, grown);
    return random < grown - base.bytes()
        ? (int) Math.min(CallTypes.measureState(after.type(), after.state()), Integer.MAX_VALUE)
        : grown;
  }
}
