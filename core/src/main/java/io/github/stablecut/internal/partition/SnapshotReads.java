package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.KeyScan;
import io.github.stablecut.internal.materializer.LiveScan;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.materializer.ObjectScan;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.internal.partition.commit.Completeness;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.internal.truncation.Horizon;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads of a partition's objects at snapshots: waits until a snapshot is complete, and refuses one
 * that is truncated. Thread-safe.
 */
public final class SnapshotReads implements VersionSource {
  private final ObjectIndex index;
  private final Completeness complete;
  private final CheckpointStore checkpoints;
  private final Materializer versions;
  private final Horizon horizon;

  public SnapshotReads(
      ObjectIndex index,
      Completeness complete,
      CheckpointStore checkpoints,
      Materializer versions,
      Horizon horizon) {
    this.index = index;
    this.complete = complete;
    this.checkpoints = checkpoints;
    this.versions = versions;
    this.horizon = horizon;
  }

  /** Like {@link Materializer#hit}. */
  @Nullable Version hit(Bytes id, VectorClock snapshot) {
    return versions.hit(id, snapshot);
  }

  /** Like {@link Materializer#folded}. */
  @Nullable Version folded(Bytes id, VectorClock snapshot) {
    return versions.folded(id, snapshot);
  }

  @Override
  public Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    return use(id, snapshot, version -> version);
  }

  /**
   * Computes a result from an object's version, which is not referenced afterwards.
   *
   * @param use must not block
   */
  <R> R use(Bytes id, VectorClock snapshot, Function<Optional<Version>, R> use) {
    if (!snapshot.isAtOrBefore(complete.stable())) {
      complete.awaitComplete(id, snapshot);
    }
    Version hit = hit(id, snapshot);
    if (hit != null) {
      horizon.check(snapshot);
      return use.apply(Optional.of(hit));
    }
    HeapPermits.Permits held = HeapPermits.FOLDS.acquire(versions.foldedBytes(id, snapshot));
    try {
      return use.apply(checked(id, snapshot));
    } finally {
      held.close();
    }
  }

  private Optional<Version> checked(Bytes id, VectorClock snapshot) {
    Optional<Version> version;
    try {
      version = versions.versionAt(id, snapshot);
    } catch (RuntimeException e) {
      // If truncation overtook the read, report that.
      horizon.check(snapshot);
      throw e;
    }
    horizon.check(snapshot);
    return version;
  }

  /** The objects of a range. */
  public FoundObjects scan(ScanPlan plan, VectorClock snapshot) {
    complete.awaitComplete(snapshot);
    FoundObjects objects =
        new LiveScan(
            index,
            part -> new ObjectScan(index, versions, checkpoints, part, snapshot),
            plan,
            snapshot);
    FoundObjects checked = new CheckedScan(objects, () -> horizon.check(snapshot));
    return plan.isKeysOnly() ? new KeyScan(checked, snapshot) : checked;
  }

  /**
   * A scan that fails if truncation overtakes it.
   *
   * @param check throws if the snapshot is truncated
   */
  private record CheckedScan(FoundObjects objects, Runnable check) implements FoundObjects {
    @Override
    public Optional<FoundObject> next() {
      Optional<FoundObject> found;
      try {
        found = objects.next();
      } catch (RuntimeException e) {
        check.run();
        throw e;
      }
      check.run();
      return found;
    }

    @Override
    public long heldBytes() {
      return objects.heldBytes();
    }

    @Override
    public void close() {
      objects.close();
    }
  }

  /** The frontier at which a state that a snapshot sees may have been pruned. */
  public VectorClock pruneFrontier(VectorClock snapshot) {
    try (CheckpointView view = checkpoints.view()) {
      return view.pruneFrontierAt(snapshot);
    }
  }
}
