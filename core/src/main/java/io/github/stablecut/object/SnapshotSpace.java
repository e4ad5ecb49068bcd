package io.github.stablecut.object;

import io.github.stablecut.Snapshot;
import io.github.stablecut.Values;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/**
 * A space for objects as of a snapshot. Immutable.
 *
 * @param origin the space that took the snapshot; empty if unknown
 */
record SnapshotSpace(Snapshot snapshot, Optional<StoreSpace> origin) implements ObjectSpace {
  @Override
  public <V> V read(Query<V> query) {
    return snapshot.read(query);
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    return snapshot.read(queries);
  }

  @Override
  public void update(Update... updates) {
    throw readOnly();
  }

  /** Returns the exception for a call that would change an object at a snapshot. */
  static UnsupportedOperationException readOnly() {
    return new UnsupportedOperationException(
        "objects in a snapshot are read-only: change them in a store or a transaction");
  }

  @Override
  public <R> R transact(Function<? super ObjectSpace, ? extends R> body) {
    return body.apply(this);
  }

  @Override
  public <R> R snapshot(Function<? super ObjectSpace, ? extends R> body) {
    return body.apply(this);
  }
}
