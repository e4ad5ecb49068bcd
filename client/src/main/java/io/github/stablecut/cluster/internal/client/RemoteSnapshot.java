package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Values;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.Query;
import io.github.stablecut.option.ScanOptions;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** A remote store at a point. Immutable. */
class RemoteSnapshot implements Snapshot {
  private final RemoteStore store;
  private final CausalToken token;

  RemoteSnapshot(RemoteStore store, CausalToken token) {
    this.store = store;
    this.token = token;
  }

  @Override
  public final CausalToken token() {
    return token;
  }

  @Override
  public final <V> V read(Query<V> query) {
    return read(List.of(query)).get(query);
  }

  @Override
  public final Values read(Collection<? extends Query<?>> queries) {
    List<Query<?>> ordered = List.copyOf(queries);
    return RemoteValues.of(
        ordered, store.call(new Call.Read(Call.Freshness.NEWEST, Optional.of(token), ordered)));
  }

  @Override
  public final Scan scan() {
    return RemoteScan.at(store, token, Optional.empty());
  }

  @Override
  public final Scan scan(Bytes bucket, Bytes keyPrefix) {
    return scan(ScanOptions.bucket(bucket).prefix(keyPrefix));
  }

  @Override
  public final Scan scan(ScanOptions options) {
    return RemoteScan.at(store, token, Optional.of(options));
  }
}
