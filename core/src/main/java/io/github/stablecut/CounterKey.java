package io.github.stablecut;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.PnCounter;

/** The name of a counter ({@link PnCounter}). What nobody has counted is 0. */
public final class CounterKey extends Key<Long> {
  CounterKey(Bytes bucket, Bytes key) {
    super(bucket, key, PnCounter.TYPE);
  }

  /** Adds 1. */
  public Update increment() {
    return increment(1);
  }

  /** Adds an amount, any number. */
  public Update increment(long amount) {
    return new Update(this, new PnCounter.Add(amount));
  }

  /** Takes an amount off. */
  public Update decrement(long amount) {
    return increment(-amount);
  }

  @Override
  public Long view(Object state, VectorClock snapshot) {
    return PnCounter.TYPE.value((Long) state, snapshot);
  }
}
