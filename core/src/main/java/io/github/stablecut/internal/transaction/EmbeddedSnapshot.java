package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.key.Query;
import io.github.stablecut.option.ScanOptions;
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
    return scan(ScanPlan.ofAll(), ScanOptions.NO_LIMIT);
  }

  @Override
  public final Scan scan(Bytes bucket, Bytes keyPrefix) {
    return scan(ScanOptions.bucket(bucket).prefix(keyPrefix));
  }

  @Override
  public final Scan scan(ScanOptions options) {
    return scan(ScanPlan.of(options), options.limit());
  }

  private Scan scan(ScanPlan plan, long limit) {
    return EmbeddedScan.open(
        store,
        store::checkOpen,
        plan,
        vector,
        limit,
        objects -> objects,
        EmbeddedScan.Progress.IGNORED);
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
