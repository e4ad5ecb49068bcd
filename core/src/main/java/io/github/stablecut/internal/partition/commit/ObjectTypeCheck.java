package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.SeveralTypes;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.index.KnownTypes;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.key.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks the types of written objects before the commit lock is taken, as it looks up objects that
 * have left memory in checkpoints. {@link Certifier} checks, under the lock, objects whose first
 * effect is new or not durable yet. Thread-safe.
 *
 * <p>The checks find mistakes of the caller; nothing else depends on them. The type that another
 * data centre gave an object counts once a transaction sees it: before that, the caller could not
 * know it.
 */
public final class ObjectTypeCheck {
  /** Maximum number of objects to report. */
  private static final int MAX_PROBLEMS = 10;

  private final LocalDataCentre local;
  private final ObjectIndex index;
  private final StableTime times;
  private final VersionSource versions;

  /**
   * @param versions finds objects in memory and in checkpoints
   */
  public ObjectTypeCheck(
      LocalDataCentre local, ObjectIndex index, StableTime times, VersionSource versions) {
    this.local = local;
    this.index = index;
    this.times = times;
    this.versions = versions;
  }

  /**
   * Checks the types of the objects that a request writes.
   *
   * @throws TypeMismatchException if an object has another type
   */
  public void check(CommitRequest request) {
    if (request.allowsOtherTypes()) {
      return;
    }
    List<CommitRequest.ObjectWrite> writes = request.writes();
    for (int i = 0; i < writes.size(); i++) {
      CommitRequest.ObjectWrite write = writes.get(i);
      ObjectEntry entry = index.find(write.id());
      if (entry == null || !entry.types().contains(write.type())) {
        check(write, Optional.ofNullable(entry), request);
      }
    }
  }

  /** Whether {@link #check} would find the types of all objects in memory, and no mistake. */
  public boolean areInMemory(CommitRequest request) {
    for (CommitRequest.ObjectWrite write : request.writes()) {
      if (!isInMemory(write.id(), write.type())) {
        return false;
      }
    }
    return true;
  }

  /** Whether an object is in memory, and has a type. */
  public boolean isInMemory(Bytes id, CrdtType<?, ?, ?, ?> type) {
    ObjectEntry entry = index.find(id);
    return entry != null && entry.types().contains(type);
  }

  /** A sentence about each of some objects that are non-empty as several types. */
  public List<String> problems() {
    return index.withSeveralTypes().stream()
        .limit(MAX_PROBLEMS)
        .flatMap(id -> newest(id).flatMap(version -> problem(id, version)).stream())
        .toList();
  }

  private static Optional<String> problem(Bytes id, Version version) {
    List<CrdtType<?, ?, ?, ?>> types = new ArrayList<>();
    for (SeveralTypes.State state : version.states()) {
      if (FoundObject.value(state.type(), state.state(), version.at()).isPresent()) {
        types.add(state.type());
      }
    }
    return types.size() < 2
        ? Optional.empty()
        : Optional.of(
            "object %s is %s, because data centres have created it with different types: each type has its own state, reached with a key of that type; use one, and delete the others"
                .formatted(Key.nameOf(id), Key.namesOfTypes(types)));
  }

  private void check(
      CommitRequest.ObjectWrite write, Optional<ObjectEntry> entry, CommitRequest request) {
    KnownTypes known = entry.map(ObjectEntry::types).orElse(KnownTypes.NONE);
    boolean isHidden =
        !known.isEmpty()
            && entry
                .orElseThrow()
                .content()
                .isHidden(local, request.snapshot(), index.floor(), write.type());
    Optional<Version> stored = isHidden ? seen(write.id(), request.snapshot()) : newest(write.id());
    if (stored.filter(version -> version.has(write.type())).isPresent()) {
      request.foundType(write);
      return;
    }
    KnownTypes others = isHidden ? KnownTypes.NONE : known;
    KnownTypes all = stored.map(others::with).orElse(others);
    if (!all.isEmpty() && !(entry.isPresent() && isNewborn(entry.get()))) {
      throw Key.mismatch(write.id(), write.type(), all.all());
    }
  }

  /** Whether an object has effects, none of them durable yet. */
  private boolean isNewborn(ObjectEntry entry) {
    return entry.content().isNewborn(times.stable());
  }

  private Optional<Version> newest(Bytes id) {
    while (true) {
      try {
        return versions.versionAt(id, times.stable());
      } catch (SnapshotTruncatedException e) {
        // Truncation overtook the snapshot, which is not registered as active: retry with a newer
        // one.
      }
    }
  }

  /** The version at a snapshot, lowered to what is stable so that this never blocks. */
  private Optional<Version> seen(Bytes id, VectorClock snapshot) {
    try {
      return versions.versionAt(id, snapshot.meet(times.stable()));
    } catch (SnapshotTruncatedException e) {
      // The snapshot is too old to commit from.
      return Optional.empty();
    }
  }
}
