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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A snapshot of an embedded store that is not registered as active. Immutable. */
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

  /**
   * Finds each next bucket by looking for the first object after all possible ids of the last one.
   */
  @Override
  public final List<Bytes> buckets(Bytes after, int most) {
    if (most < 1) {
      throw new IllegalArgumentException(
          "the number of buckets to return is at least 1, not " + most);
    }
    List<Bytes> found = new ArrayList<>();
    Bytes from = after.length() == 0 ? ScanPlan.ofAll().range().from() : endOfBucket(after);
    while (found.size() < most) {
      ScanPlan rest = new ScanPlan(ScanPlan.ofAll().range().atOrAbove(from), false, true, 1);
      try (Scan scan = scan(rest, 1)) {
        if (!scan.hasNext()) {
          return found;
        }
        Bytes bucket = scan.next().bucket();
        found.add(bucket);
        from = endOfBucket(bucket);
      }
    }
    return found;
  }

  /** The least id above all possible ids of a bucket. */
  private static Bytes endOfBucket(Bytes bucket) {
    return ScanOptions.bucket(bucket).untilId();
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
