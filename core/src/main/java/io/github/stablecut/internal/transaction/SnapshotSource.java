package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.error.ClosedException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads the objects of a store at a snapshot.
 *
 * @param allowsOtherTypes whether keys' types are not checked: as a type that it does not have, an
 *     object is in its initial state
 */
record SnapshotSource(EmbeddedStore store, VectorClock snapshot, boolean allowsOtherTypes)
    implements ObjectSource {
  /** Creates a source that checks the keys' types. */
  SnapshotSource(EmbeddedStore store, VectorClock snapshot) {
    this(store, snapshot, false);
  }

  @Override
  public Object state(Key<?> key) {
    return state(key, Footprint.whole());
  }

  @Override
  public Object stateFor(Key<?> key) {
    return state(key, key.footprint());
  }

  private Object state(Key<?> key, Footprint part) {
    Optional<Version> version =
        at(key, partition -> partition.versionAt(key.id(), part, snapshot))
            .filter(found -> !allowsOtherTypes || found.has(key.type()));
    return version.isEmpty() ? key.type().initial() : version.get().stateAs(key.type(), key.id());
  }

  @Override
  public boolean hasSeveralTypes(Key<?> key) {
    return at(key, partition -> partition.versionAt(key.id(), snapshot))
        .filter(version -> version.hasSeveral(key.type()))
        .isPresent();
  }

  @Override
  public <A> A ask(ObjectQuery<A, ?> query) {
    Key<?> key = query.target();
    if (allowsOtherTypes) {
      return query.answer(state(key), snapshot);
    }
    return at(key, partition -> partition.ask(key.id(), key.type(), query.question(), snapshot));
  }

  @Override
  public Object downstream(Key<?> key, Object operation, OperationContext context) {
    if (allowsOtherTypes) {
      return ObjectSource.super.downstream(key, operation, context);
    }
    return at(key, partition -> partition.downstream(key.id(), key.type(), operation, context));
  }

  /** Applies a function to the partition of an object. */
  private <T> T at(Key<?> key, Function<PartitionAccess, T> read) {
    try {
      return read.apply(store.partitions().of(key.id()));
    } catch (ClosedException e) {
      throw EmbeddedStore.closed();
    }
  }
}
