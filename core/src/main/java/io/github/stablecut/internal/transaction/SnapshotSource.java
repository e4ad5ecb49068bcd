package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.error.ClosedException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import java.util.Optional;
import java.util.function.Function;

/** Reads the objects of a store at a snapshot. */
record SnapshotSource(EmbeddedStore store, VectorClock snapshot) implements ObjectSource {
  @Override
  public Object state(Key<?> key) {
    Optional<Version> version = at(key, partition -> partition.versionAt(key.id(), snapshot));
    if (version.isEmpty()) {
      return key.type().initial();
    }
    Key.checkType(key.id(), key.type(), version.get().type());
    return version.get().state();
  }

  @Override
  public <A> A ask(ObjectQuery<A, ?> query) {
    Key<?> key = query.target();
    return at(key, partition -> partition.ask(key.id(), key.type(), query.question(), snapshot));
  }

  @Override
  public Object downstream(Key<?> key, Object operation, OperationContext context) {
    return at(key, partition -> partition.downstream(key.id(), key.type(), operation, context));
  }

  /** Asks the partition of an object. */
  private <T> T at(Key<?> key, Function<PartitionAccess, T> asked) {
    try {
      return asked.apply(store.partitions().of(key.id()));
    } catch (ClosedException e) {
      throw EmbeddedStore.closed();
    }
  }
}
