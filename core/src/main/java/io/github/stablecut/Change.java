package io.github.stablecut;

import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Key;
import java.util.List;

/**
 * What one transaction has changed of what is watched: one change per transaction, so that nobody
 * sees a half. Immutable.
 *
 * @param snapshot the store right after the transaction, with all that the watch has told before,
 *     of whatever data centre; nobody has claimed it, so reading throws {@link
 *     SnapshotTruncatedException} once it is not kept any more
 * @param token the point after the transaction: a watch after it goes on with the next change.
 *     Where several data centres have made changes that became visible at once, only the token of
 *     the last one of these is after them, those of the others before
 * @param objects the watched objects that it has updated, at least one, in the order of their first
 *     updates, or in no certain order if they are on several partitions; equal to keys of the same
 *     objects and types
 * @param effects what it has done to them, those of an object in the order of execution; none
 *     unless the watch is one {@link io.github.stablecut.option.WatchOptions#withEffects}
 */
public record Change(
    Snapshot snapshot, CausalToken token, List<Key<?>> objects, List<CommittedEffect> effects) {
  /** Copies. */
  public Change {
    objects = List.copyOf(objects);
    effects = List.copyOf(effects);
  }

  /**
   * The value of an object right after the transaction.
   *
   * @throws SnapshotTruncatedException if that point is not kept any more
   * @throws TypeMismatchException if the object has another type than the key
   */
  public <V> V read(Key<V> key) {
    return snapshot.read(key);
  }
}
