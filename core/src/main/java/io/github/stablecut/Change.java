package io.github.stablecut;

import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Key;
import java.util.List;

/**
 * The changes of one transaction to watched objects. A transaction's changes always arrive
 * together, which preserves its atomicity. Immutable.
 *
 * @param snapshot the store right after the transaction, including all earlier changes of the
 *     watch, from all data centres. It is not pinned: reading throws {@link
 *     SnapshotTruncatedException} once it is no longer retained
 * @param token the point after the transaction; a watch after it continues with the next change. If
 *     changes of several data centres became visible together, only the token of the last one is
 *     after all of them; the tokens of the others precede them
 * @param objects the watched objects that the transaction updated, at least one, in the order of
 *     their first updates, or unordered if they are on several partitions; equal to keys of the
 *     same objects and types
 * @param effects the effects on these objects, per object in the order of execution; empty unless
 *     the watch has {@link io.github.stablecut.option.WatchOptions#withEffects effects}
 */
public record Change(
    Snapshot snapshot, CausalToken token, List<Key<?>> objects, List<CommittedEffect> effects) {
  /** Copies the lists. */
  public Change {
    objects = List.copyOf(objects);
    effects = List.copyOf(effects);
  }

  /**
   * The value of an object right after the transaction.
   *
   * @throws SnapshotTruncatedException if that point is no longer retained
   * @throws TypeMismatchException if the object has another type than the key
   */
  public <V> V read(Key<V> key) {
    return snapshot.read(key);
  }
}
