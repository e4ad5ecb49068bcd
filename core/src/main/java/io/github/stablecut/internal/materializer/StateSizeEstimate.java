package io.github.stablecut.internal.materializer;

import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.Version;
import java.util.List;

/**
 * What states take, about. Measuring one means visiting all of it. So it is done now and then, the
 * more seldom the larger the state: on the average an effect costs its size.
 */
final class StateSizeEstimate {
  /** What an effect adds to a state at least, as long as nobody has measured. */
  private static final int MIN_BYTES = 24;

  /** Spreads commit times over all longs (Knuth 6.4), so that they can stand in for dice. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private StateSizeEstimate() {}

  /**
   * The encoded size of a state, about.
   *
   * @param base the version that it was made from
   * @param effects those that were folded onto it
   * @param after what they have made of it
   * @param lastCommit when the last of them was committed
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
    long dice = Long.remainderUnsigned((lastCommit * GOLDEN) >>> 16, grown);
    return dice < grown - base.bytes()
        ? (int) Math.min(CallTypes.measureState(after.type(), after.state()), Integer.MAX_VALUE)
        : grown;
  }
}
