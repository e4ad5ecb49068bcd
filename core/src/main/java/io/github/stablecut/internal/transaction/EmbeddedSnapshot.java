package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import java.util.Collection;

/** A snapshot of an embedded store, without a claim. Immutable. */
class EmbeddedSnapshot implements Snapshot {
  private final EmbeddedStore store;
  private final VectorClock vector;

  EmbeddedSnapshot(EmbeddedStore store, VectorClock vector) {
    this.store = store;
    this.vector = vector;
  }

  @Override
  public final CausalToken token() {
    return store.token(vector);
  }

  @Override
  public final Scan scan() {
    return store.scan(IdRange.all(), vector);
  }

  @Override
  public final Scan scan(Bytes bucket, Bytes keyPrefix) {
    return store.scan(IdRange.prefix(Key.id(bucket, keyPrefix)), vector);
  }

  @Override
  public final <V> V read(Query<V> query) {
    store.checkOpen();
    return new SnapshotSource(store, vector).read(query);
  }

  @Override
  public final Values read(Collection<? extends Query<?>> queries) {
    store.checkOpen();
    return store.values(queries, vector, new SnapshotSource(store, vector)::read);
  }
}
