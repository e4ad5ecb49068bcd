package io.github.stablecut.key;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;

/** A key that reads the state of a stored object instead of its value. */
final class StateKey extends Key<Object> {
  StateKey(ObjectPath path, CrdtType<?, ?, ?, ?> type) {
    super(path, type, value -> value);
  }

  @Override
  public Object view(Object state, VectorClock snapshot) {
    return state;
  }

  @Override
  StateKey at(ObjectPath other) {
    return new StateKey(other, ownType());
  }
}
