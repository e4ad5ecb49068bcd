package io.github.stablecut;

import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Key;
import java.util.List;

/**
 * The changes of one transaction to watched objects: one change per transaction, so that atomicity
 * is preserved. Immutable.
 *
 * @param snapshot the store right after the transaction, including all earlier changes of the
 *     watch, from all data centres; it is not pinned, so reading throws {@link
 *     SnapshotTruncatedException} once it is no longer retained
 * @param token the point after the transaction: a watch after it continues with the next change. If
 *     changes of several data centres became visible at once, only the token of the last one is
 *     after them, those of the others are before them
 * @param objects the watched objects that it has updated, at least one, in the order of their first
 *     updates, or in no certain order if they are on several partitions; equal to keys of the same
 *     objects and types
 * @param effects the effects on them, per object in the order of execution; empty unless the watch
 *     is one {@link io.github.stablecut.option.WatchOptions#withEffects}
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
