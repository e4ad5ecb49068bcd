package io.github.stablecut.key;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;

/** The name of a stored object of which its state is read, instead of the value. */
final class StateKey extends Key<Object> {
  StateKey(ObjectPath place, CrdtType<?, ?, ?, ?> type) {
    super(place, type, value -> value);
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
