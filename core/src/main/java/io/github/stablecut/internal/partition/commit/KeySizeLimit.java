package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.key.Update;

/**
 * Limits the size of an element of a set, a name in a counter map, and a name in a map. They are
 * compared on every search, and pages of large objects hold the prefixes of many side by side.
 * Existing states and effects are not limited.
 */
public final class KeySizeLimit {
  /** 1 MiB. */
  public static final int MAX_BYTES = 1 << 20;

  private KeySizeLimit() {}

  /**
   * Refuses an operation with an element or name that is too long.
   *
   * @param effectBytes the size of the operation's effect, which holds every element and name of
   *     the operation
   * @throws LimitExceededException if an element or name has more than {@link #MAX_BYTES}
   */
  public static void check(Update update, int effectBytes) {
    if (effectBytes <= MAX_BYTES) {
      return;
    }
    for (Footprint part : CallTypes.footprints(update.key().type(), update.operation())) {
      if (part.longestKey() > MAX_BYTES) {
        throw new LimitExceededException(
            "an operation on %s has an element or a map entry's name of %,d bytes, and at most %,d are allowed: store such a value in a register or a list, under a shorter name"
                .formatted(update.key(), part.longestKey(), MAX_BYTES));
      }
    }
  }
}
