package io.github.stablecut.key;

import io.github.stablecut.crdt.CrdtType;

/**
 * The key of an object of any type, with the operations and values of its {@link CrdtType}: for
 * programs that learn the types of their objects at run time.
 *
 * @param <O> the operations
 * @param <V> the value that readers see
 */
public final class ObjectKey<O, V> extends Key<V> {
  private final CrdtType<?, O, ?, V> type;

  ObjectKey(ObjectPath path, CrdtType<?, O, ?, V> type) {
    super(path, type, value -> value);
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
