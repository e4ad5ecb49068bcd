package io.github.stablecut.key;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.sequence.Rga;
import java.util.function.Function;

/**
 * The key of a list or text, which is edited by position. Positions and counts refer to the state
 * that the transaction sees, including its own earlier updates.
 *
 * @param <V> the value that readers see
 */
public abstract sealed class SequenceKey<V> extends Key<V> permits ListKey, TextKey {
  <W> SequenceKey(ObjectPath path, CrdtType<?, ?, ?, W> type, Function<? super W, V> view) {
    super(path, type, view);
  }

  /**
   * Deletes elements; concurrent insertions between them remain. Executing it throws {@link
   * OperationRefusedException} if the sequence is too short.
   *
   * @param position the number of elements before the deleted ones
   * @param count the number of deleted elements
   */
  public final Update delete(int position, int count) {
    return updateBy(Rga.delete(position, count));
  }

  /** Deletes all elements that the transaction sees. */
  public final Update clear() {
    return updateBy(Rga.reset());
  }
}
