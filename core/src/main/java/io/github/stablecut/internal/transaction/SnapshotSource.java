package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;

/** Reads the objects of a store at a snapshot. */
record SnapshotSource(EmbeddedStore store, VectorClock snapshot) implements ObjectSource {
  @Override
  public Object state(Key<?> key) {
    return store.state(key, snapshot);
  }

  @Override
  public <A> A ask(ObjectQuery<A, ?> query) {
    return store.ask(query, snapshot);
  }
}
