package io.github.stablecut.key;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.Rga;
import java.util.function.Function;

/**
 * The name of a list or text, which is edited by position. Positions and counts are those of what
 * the transaction sees, its own earlier updates included.
 *
 * @param <V> what a reader sees
 */
public abstract sealed class SequenceKey<V> extends Key<V> permits ListKey, TextKey {
  <W> SequenceKey(ObjectPath place, CrdtType<?, ?, ?, W> type, Function<? super W, V> view) {
    super(place, type, view);
  }

  /**
   * Deletes elements; concurrent insertions between them remain. A transaction that executes it is
   * told by {@link OperationRefusedException} if there are not as many.
   *
   * @param position how many elements stay to their left
   * @param count how many go
   */
  public final Update delete(int position, int count) {
    return updateBy(Rga.delete(position, count));
  }

  /** Deletes all elements that the transaction sees. */
  public final Update clear() {
    return updateBy(Rga.reset());
  }
}
