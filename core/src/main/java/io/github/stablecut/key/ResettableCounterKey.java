package io.github.stablecut.key;

import io.github.stablecut.crdt.counter.FatCounter;

/** The key of a counter that can be reset ({@link FatCounter}). */
public final class ResettableCounterKey extends CounterKey {
  ResettableCounterKey(ObjectPath path) {
    super(path, FatCounter.TYPE, FatCounter.Add::new);
  }

  /** Resets the updates that the transaction sees; concurrent ones remain. */
  public Update reset() {
    return updateBy(new FatCounter.Reset());
  }

  @Override
  ResettableCounterKey at(ObjectPath other) {
    return new ResettableCounterKey(other);
  }
}
