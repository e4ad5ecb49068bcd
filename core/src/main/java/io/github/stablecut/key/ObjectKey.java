package io.github.stablecut.key;

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

  ObjectKey(ObjectPath place, CrdtType<?, O, ?, V> type) {
    super(place, type, value -> value);
    this.type = type;
  }

  /** Executes an operation on the object. */
  public Update update(O operation) {
    return updateBy(operation);
  }

  @Override
  ObjectKey<O, V> at(ObjectPath other) {
    return new ObjectKey<>(other, type);
  }
}
