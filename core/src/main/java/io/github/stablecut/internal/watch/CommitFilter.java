package io.github.stablecut.internal.watch;

import io.github.stablecut.checkpoint.IdRange;

/**
 * What a watch wants to have of commits. Immutable.
 *
 * @param range of the objects that are wanted
 * @param withEffects whether what was done to them is wanted, too
 */
public record CommitFilter(IdRange range, boolean withEffects) {
  /** Which objects of a range were written. */
  public static CommitFilter of(IdRange range) {
    return new CommitFilter(range, false);
  }
}
