package io.github.stablecut.internal.watch;

import io.github.stablecut.checkpoint.IdRange;

/**
 * Selects the commits and the details that a watch receives. Immutable.
 *
 * @param range the range of the objects
 * @param withEffects whether the effects are included
 */
public record CommitFilter(IdRange range, boolean withEffects) {
  /** Selects the written objects of a range, without effects. */
  public static CommitFilter of(IdRange range) {
    return new CommitFilter(range, false);
  }
}
