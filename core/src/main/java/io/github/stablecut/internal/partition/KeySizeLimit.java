package io.github.stablecut.internal.partition;

import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.key.Update;

/**
 * How long an element of a set may be, a name in a counter map, or a name in a map: they are
 * compared on every way to one, and pages of large objects hold the beginnings of many side by
 * side. What is in states and effects already is not limited.
 */
public final class KeySizeLimit {
  /** 1 MiB. */
  public static final int MAX_BYTES = 1 << 20;

  private KeySizeLimit() {}

  /**
   * Refuses an operation that names something longer.
   *
   * @param effectBytes of the operation's effect, which holds all that the operation names
   * @throws LimitExceededException if an element or name has more than {@link #MAX_BYTES}
   */
  public static void check(Update update, int effectBytes) {
    if (effectBytes <= MAX_BYTES) {
      return;
    }
    for (Footprint part : CallTypes.footprints(update.key().type(), update.operation())) {
      if (part.longestKey() > MAX_BYTES) {
        throw new LimitExceededException(
            "an operation on %s names an element, or an entry of a map, of %,d bytes, at most %,d are allowed: keep such a value in a register or a list, under a shorter name"
                .formatted(update.key(), part.longestKey(), MAX_BYTES));
      }
    }
  }
}
