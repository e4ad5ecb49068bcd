package io.github.stablecut.internal.transaction;

import io.github.stablecut.Scan;
import io.github.stablecut.StoredObject;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.error.ClosedException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ObjectScan;
import io.github.stablecut.internal.partition.PartitionAccess;
import java.util.NoSuchElementException;
import java.util.Optional;

/** A scan of an embedded store. Confined to one thread. */
final class EmbeddedScan implements Scan {
  private final EmbeddedStore store;
  private final VectorClock snapshot;
  private final PartitionAccess.Claim claim;
  private final FoundObjects objects;
  private final Progress progress;
  private long left;
  private Optional<StoredObject> next = Optional.empty();
  private boolean isClosed;

  /** Why an earlier call failed, which may have lost objects on the way. */
  private Optional<Throwable> failure = Optional.empty();

  /** Hears how far the scan has come. */
  interface Progress {
    /** It has come to an object. */
    void reached(Bytes id);

    /** It has come to its end. */
    void ended();

    /** Nobody listens. */
    Progress IGNORED =
        new Progress() {
          @Override
          public void reached(Bytes id) {}

          @Override
          public void ended() {}
        };
  }

  /**
   * @param claim on the snapshot; ended with this
   * @param limit the most objects that are found
   */
  EmbeddedScan(
      EmbeddedStore store,
      VectorClock snapshot,
      PartitionAccess.Claim claim,
      FoundObjects objects,
      long limit,
      Progress progress) {
    this.left = limit;
    this.progress = progress;
    this.store = store;
    this.snapshot = snapshot;
    this.claim = claim;
    this.objects = objects;
  }

  @Override
  public boolean hasNext() {
    if (isClosed) {
      throw new IllegalStateException("the scan is closed: begin another");
    }
    if (failure.isPresent()) {
      store.checkOpen();
      throw new IllegalStateException(
          "the scan has failed, and would skip objects if it went on: begin another after the last object that it has found",
          failure.get());
    }
    try {
      findNext();
    } catch (RuntimeException | Error e) {
      failure = Optional.of(e);
      throw e;
    }
    return next.isPresent();
  }

  private void findNext() {
    while (next.isEmpty() && left > 0) {
      store.checkOpen();
      Optional<ObjectScan.Found> found = found();
      if (found.isEmpty()) {
        progress.ended();
        left = 0;
      } else {
        progress.reached(found.get().id());
        next = object(found.get(), found.get().version().type());
      }
    }
  }

  private Optional<ObjectScan.Found> found() {
    try {
      return objects.next();
    } catch (ClosedException e) {
      throw EmbeddedStore.closed();
    }
  }

  @SuppressWarnings("unchecked") // a version's state is of its type
  private <S> Optional<StoredObject> object(ObjectScan.Found found, CrdtType<S, ?, ?, ?> type) {
    Version version = found.version();
    Object value = type.value((S) version.state(), snapshot);
    return value.equals(type.value(type.initial(), snapshot))
        ? Optional.empty()
        : Optional.of(StoredObject.of(found.id(), type, value));
  }

  @Override
  public StoredObject next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the scan is at its end");
    }
    StoredObject object = next.orElseThrow();
    next = Optional.empty();
    left--;
    return object;
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      objects.close();
      claim.end();
    }
  }
}
