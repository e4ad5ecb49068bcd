package io.github.stablecut;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;

/**
 * The name of an object of any type, with operations and values as its {@link CrdtType} has them:
 * for programs that learn at run time what they store.
 *
 * @param <O> the operations
 * @param <V> what a reader of the object sees
 */
public final class ObjectKey<O, V> extends Key<V> {
  private final CrdtType<?, O, ?, V> type;

  ObjectKey(Bytes bucket, Bytes key, CrdtType<?, O, ?, V> type) {
    super(bucket, key, type);
    this.type = type;
  }

  /** Executes an operation on the object. */
  public Update update(O operation) {
    return new Update(this, operation);
  }

  @Override
  public V view(Object state, VectorClock snapshot) {
    return value(type, state, snapshot);
  }

  @SuppressWarnings("unchecked") // a state of the key's type
  private static <S, V> V value(CrdtType<S, ?, ?, V> type, Object state, VectorClock snapshot) {
    return type.value((S) state, snapshot);
  }
}
