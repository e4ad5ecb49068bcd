package io.github.stablecut.internal.watch;

import io.github.stablecut.checkpoint.IdRange;

/**
 * What a watch wants to have of commits. Immutable.
 *
 * @param range of the objects that are wanted
 * @param withEffects whether what was done to them is wanted, too
 */
public record Wanted(IdRange range, boolean withEffects) {
  /** Which objects of a range were written. */
  public static Wanted of(IdRange range) {
    return new Wanted(range, false);
  }
}
