package io.github.stablecut.internal.partition;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.key.Key;
import java.util.Optional;

/**
 * Checks the types of written objects before the commit lock is taken, as an object that has left
 * memory is looked up in checkpoints. {@link Certifier} checks, under the lock, objects whose first
 * effect is new or not durable yet. Thread-safe.
 */
final class ObjectTypes {
  private final ObjectIndex index;
  private final StableTime times;
  private final VersionSource versions;

  /**
   * @param versions finds objects in memory and in checkpoints
   */
  ObjectTypes(ObjectIndex index, StableTime times, VersionSource versions) {
    this.index = index;
    this.times = times;
    this.versions = versions;
  }

  /**
   * Checks the types of the objects that a request writes.
   *
   * @throws TypeMismatchException if an object has another type
   */
  void check(CommitRequest request) {
    for (CommitRequest.ObjectWrite write : request.writes()) {
      Optional<ObjectEntry> entry = index.get(write.id());
      if (entry.isEmpty() || !(entry.get().isOnly(write.type()) || isNewborn(entry.get()))) {
        typeOf(write.id()).ifPresent(type -> Key.checkType(write.id(), write.type(), type));
      }
    }
  }

  /** Whether an object has effects, none of them durable yet. */
  private boolean isNewborn(ObjectEntry entry) {
    return entry.content().isNewborn(times.stable());
  }

  private Optional<CrdtType<?, ?, ?, ?>> typeOf(Bytes id) {
    Optional<CrdtType<?, ?, ?, ?>> inMemory = index.get(id).flatMap(ObjectEntry::type);
    while (inMemory.isEmpty()) {
      try {
        return versions.versionAt(id, times.stable()).map(Version::type);
      } catch (SnapshotTruncatedException e) {
        // Truncation overtook the snapshot, which is not claimed: retry with a newer one.
      }
    }
    return inMemory;
  }
}
