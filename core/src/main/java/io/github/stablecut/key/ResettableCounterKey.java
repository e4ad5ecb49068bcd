package io.github.stablecut.key;

import io.github.stablecut.crdt.FatCounter;

/** The name of a counter that can be reset ({@link FatCounter}). */
public final class ResettableCounterKey extends CounterKey {
  ResettableCounterKey(Place place) {
    super(place, FatCounter.TYPE, FatCounter.Add::new);
  }

  /** Takes off what the transaction sees; what is counted concurrently stays. */
  public Update reset() {
    return updateBy(new FatCounter.Reset());
  }

  @Override
  ResettableCounterKey at(Place other) {
    return new ResettableCounterKey(other);
  }
}
