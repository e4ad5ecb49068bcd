package io.github.stablecut.crdt.internal.tree;

import org.jspecify.annotations.Nullable;

/**
 * A range of keys. Immutable.
 *
 * @param from the lower bound; null if unbounded
 * @param to the upper bound; null if unbounded
 */
record KeyRange<K extends Comparable<K>>(
    @Nullable K from, boolean isFromIncluded, @Nullable K to, boolean isToIncluded) {
  static <K extends Comparable<K>> KeyRange<K> all() {
    return new KeyRange<>(null, false, null, false);
  }

  boolean contains(K key) {
    return isAboveLow(key, true) && isBelowHigh(key, true);
  }

  private boolean isAboveLow(K key, boolean isKeyIncluded) {
    if (from == null) {
      return true;
    }
    int order = key.compareTo(from);
    return order > 0 || (order == 0 && (isFromIncluded || !isKeyIncluded));
  }

  private boolean isBelowHigh(K key, boolean isKeyIncluded) {
    if (to == null) {
      return true;
    }
    int order = key.compareTo(to);
    return order < 0 || (order == 0 && (isToIncluded || !isKeyIncluded));
  }

  /**
   * The part of this range between two further bounds.
   *
   * @param low the lower bound; null for this range's
   * @param high the upper bound; null for this range's
   * @throws IllegalArgumentException if a bound is outside this range, or low is above high
   */
  KeyRange<K> narrowed(
      @Nullable K low, boolean isLowIncluded, @Nullable K high, boolean isHighIncluded) {
    if (low != null && high != null && low.compareTo(high) > 0) {
      throw new IllegalArgumentException(
          "the lower bound " + low + " is above the upper bound " + high);
    }
    check(low, isLowIncluded);
    check(high, isHighIncluded);
    return new KeyRange<>(
        low == null ? from : low,
        low == null ? isFromIncluded : isLowIncluded,
        high == null ? to : high,
        high == null ? isToIncluded : isHighIncluded);
  }

  private void check(@Nullable K bound, boolean isIncluded) {
    if (bound != null && !(isAboveLow(bound, isIncluded) && isBelowHigh(bound, isIncluded))) {
      throw new IllegalArgumentException(bound + " is outside the range of this view");
    }
  }
}
