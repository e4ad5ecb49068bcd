package io.github.stablecut.key;

import io.github.stablecut.crdt.FatCounter;

/** The name of a counter that can be reset ({@link FatCounter}). */
public final class ResettableCounterKey extends CounterKey {
  ResettableCounterKey(ObjectPath place) {
    super(place, FatCounter.TYPE, FatCounter.Add::new);
  }

  /** Cancels the operations that the transaction sees; concurrent ones remain. */
  public Update reset() {
    return updateBy(new FatCounter.Reset());
  }

  @Override
  ResettableCounterKey at(ObjectPath other) {
    return new ResettableCounterKey(other);
  }
}
