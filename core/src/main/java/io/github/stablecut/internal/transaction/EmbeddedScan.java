package io.github.stablecut.internal.transaction;

import io.github.stablecut.StoredObject;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.ClosedException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.PartitionAccess;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** A scan of an embedded store. Confined to one thread. */
final class EmbeddedScan implements StateScan {
  private final EmbeddedStore store;
  private final Runnable usable;
  private final VectorClock snapshot;
  private final PartitionAccess.HeldSnapshot claim;
  private final ScanPlan plan;
  private final FoundObjects objects;
  private final Progress progress;
  private long left;

  /** The types that are left of the object that the scan has come to. */
  private final Deque<FoundObject> types = new ArrayDeque<>(1);

  /** Whether the object that the scan has come to was counted. */
  private boolean isCounted;

  private Optional<StoredObject> next = Optional.empty();

  /** The object that was found last. */
  private Optional<FoundObject> last = Optional.empty();

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
   * Begins a scan at a snapshot.
   *
   * @param usable throws if the store is closed, or the caller may not scan any more
   * @param view what of the objects the caller sees
   */
  static EmbeddedScan open(
      EmbeddedStore store,
      Runnable usable,
      ScanPlan plan,
      VectorClock snapshot,
      long limit,
      UnaryOperator<FoundObjects> view,
      Progress progress) {
    store.checkOpen();
    PartitionAccess.HeldSnapshot claim = store.partitions().pin(snapshot);
    try {
      FoundObjects atSnapshot = store.partitions().scan(plan, snapshot);
      try {
        return new EmbeddedScan(
            store, usable, snapshot, claim, plan, view.apply(atSnapshot), limit, progress);
      } catch (RuntimeException | Error e) {
        atSnapshot.close();
        throw e;
      }
    } catch (ClosedException e) {
      claim.end();
      throw EmbeddedStore.closed();
    } catch (RuntimeException | Error e) {
      claim.end();
      throw e;
    }
  }

  /**
   * @param claim on the snapshot; ended with this
   * @param limit the most objects that are found
   */
  private EmbeddedScan(
      EmbeddedStore store,
      Runnable usable,
      VectorClock snapshot,
      PartitionAccess.HeldSnapshot claim,
      ScanPlan plan,
      FoundObjects objects,
      long limit,
      Progress progress) {
    this.left = limit;
    this.progress = progress;
    this.store = store;
    this.usable = usable;
    this.snapshot = snapshot;
    this.claim = claim;
    this.plan = plan;
    this.objects = objects;
  }

  @Override
  public boolean hasNext() {
    if (isClosed) {
      throw new IllegalStateException("the scan is closed: begin another");
    }
    usable.run();
    if (failure.isPresent()) {
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
    while (next.isEmpty() && (left > 0 || !types.isEmpty())) {
      store.checkOpen();
      if (types.isEmpty()) {
        findTypes();
      } else {
        FoundObject found = plan.isDescending() ? types.removeLast() : types.removeFirst();
        last = Optional.of(found);
        next = object(found);
      }
    }
  }

  private void findTypes() {
    Optional<FoundObject> found = found();
    if (found.isEmpty()) {
      progress.ended();
      left = 0;
    } else {
      progress.reached(found.get().id());
      types.addAll(found.get().byType());
      isCounted = false;
    }
  }

  private Optional<FoundObject> found() {
    try {
      return objects.next();
    } catch (ClosedException e) {
      throw EmbeddedStore.closed();
    }
  }

  private Optional<StoredObject> object(FoundObject found) {
    if (!plan.isKeysOnly()) {
      return found.value(snapshot).map(value -> StoredObject.of(found.id(), found.type(), value));
    }
    // One without a version is not as at first; one with a version is the transaction's own.
    return found.version().isEmpty() || found.value(snapshot).isPresent()
        ? Optional.of(StoredObject.withoutValue(found.id(), found.type()))
        : Optional.empty();
  }

  @Override
  public StoredObject next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the scan is at its end");
    }
    StoredObject object = next.orElseThrow();
    next = Optional.empty();
    left -= isCounted ? 0 : 1;
    isCounted = true;
    return object;
  }

  @Override
  public long heldBytes() {
    return objects.heldBytes() + last.map(FoundObject::bytes).orElse(0L);
  }

  @Override
  public Bytes id() {
    return last.orElseThrow().id();
  }

  @Override
  public Optional<Object> state() {
    return plan.isKeysOnly()
        ? Optional.empty()
        : last.flatMap(FoundObject::version).map(Version::state);
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      try {
        objects.close();
      } finally {
        claim.end();
      }
    }
  }
}
