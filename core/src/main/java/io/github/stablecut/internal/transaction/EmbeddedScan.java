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
import io.github.stablecut.internal.transaction.routing.StateScan;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** A scan of an embedded store. Confined to one thread. */
final class EmbeddedScan implements StateScan {
  private final EmbeddedStore store;
  private final Runnable checkUsable;
  private final VectorClock snapshot;
  private final PartitionAccess.HeldSnapshot registration;
  private final ScanPlan plan;
  private final FoundObjects objects;
  private final Progress progress;
  private long remainingObjects;

  /** The remaining types of the current object. */
  private final Deque<FoundObject> remainingTypes = new ArrayDeque<>(1);

  /** Whether the current object was counted. */
  private boolean isCounted;

  private Optional<StoredObject> next = Optional.empty();

  /** The object found last. */
  private Optional<FoundObject> last = Optional.empty();

  private boolean isClosed;

  /** The failure of an earlier call, which may have skipped objects. */
  private Optional<Throwable> failure = Optional.empty();

  /** Receives the scan's progress. */
  interface Progress {
    /** The scan has reached an object. */
    void reached(Bytes id);

    /** The scan has reached the end of its range. */
    void ended();

    /** Ignores the progress. */
    Progress IGNORED =
        new Progress() {
          @Override
          public void reached(Bytes id) {}

          @Override
          public void ended() {}
        };
  }

  /**
   * Opens a scan at a snapshot.
   *
   * @param checkUsable throws if the store is closed or the caller may no longer scan
   * @param view maps the stored objects to what the caller sees
   */
  static EmbeddedScan open(
      EmbeddedStore store,
      Runnable checkUsable,
      ScanPlan plan,
      VectorClock snapshot,
      long limit,
      UnaryOperator<FoundObjects> view,
      Progress progress) {
    store.checkOpen();
    PartitionAccess.HeldSnapshot registration = store.partitions().pin(snapshot);
    try {
      FoundObjects atSnapshot = store.partitions().scan(plan, snapshot);
      try {
        return new EmbeddedScan(
            store,
            checkUsable,
            snapshot,
            registration,
            plan,
            view.apply(atSnapshot),
            limit,
            progress);
      } catch (RuntimeException | Error e) {
        atSnapshot.close();
        throw e;
      }
    } catch (ClosedException e) {
      registration.end();
      throw EmbeddedStore.closed();
    } catch (RuntimeException | Error e) {
      registration.end();
      throw e;
    }
  }

  /**
   * @param registration of the snapshot; ended when the scan is closed
   * @param limit the most objects to return
   */
  private EmbeddedScan(
      EmbeddedStore store,
      Runnable checkUsable,
      VectorClock snapshot,
      PartitionAccess.HeldSnapshot registration,
      ScanPlan plan,
      FoundObjects objects,
      long limit,
      Progress progress) {
    this.remainingObjects = limit;
    this.progress = progress;
    this.store = store;
    this.checkUsable = checkUsable;
    this.snapshot = snapshot;
    this.registration = registration;
    this.plan = plan;
    this.objects = objects;
  }

  @Override
  public boolean hasNext() {
    if (isClosed) {
      throw new IllegalStateException("the scan is closed: begin another");
    }
    checkUsable.run();
    if (failure.isPresent()) {
      throw new IllegalStateException(
          "the scan has failed and could skip objects if it continued: begin another one after the last object that it returned",
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
    while (next.isEmpty() && (remainingObjects > 0 || !remainingTypes.isEmpty())) {
      store.checkOpen();
      if (remainingTypes.isEmpty()) {
        findNextObject();
      } else {
        FoundObject nextFound =
            plan.isDescending() ? remainingTypes.removeLast() : remainingTypes.removeFirst();
        last = Optional.of(nextFound);
        next = object(nextFound);
      }
    }
  }

  private void findNextObject() {
    Optional<FoundObject> nextFound = nextFound();
    if (nextFound.isEmpty()) {
      progress.ended();
      remainingObjects = 0;
    } else {
      progress.reached(nextFound.get().id());
      remainingTypes.addAll(nextFound.get().byType());
      isCounted = false;
    }
  }

  private Optional<FoundObject> nextFound() {
    try {
      return objects.next();
    } catch (ClosedException e) {
      throw EmbeddedStore.closed();
    }
  }

  private Optional<StoredObject> object(FoundObject nextFound) {
    if (!plan.isKeysOnly()) {
      return nextFound
          .value(snapshot)
          .map(value -> StoredObject.of(nextFound.id(), nextFound.type(), value));
    }
    // Without a version, the object has a non-initial value; with one, the transaction wrote it.
    return nextFound.version().isEmpty() || nextFound.value(snapshot).isPresent()
        ? Optional.of(StoredObject.withoutValue(nextFound.id(), nextFound.type()))
        : Optional.empty();
  }

  @Override
  public StoredObject next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the scan has no more objects");
    }
    StoredObject object = next.orElseThrow();
    next = Optional.empty();
    remainingObjects -= isCounted ? 0 : 1;
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
        registration.end();
      }
    }
  }
}
