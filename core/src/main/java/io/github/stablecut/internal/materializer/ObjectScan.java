package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.EntryScan;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.checkpoint.View;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a range at a snapshot, in the order of their ids. Merges the checkpoint at or
 * before the snapshot, the ids of effects in history files, and the ids of effects in memory: an
 * object that is in the checkpoint only is answered from there as the file is read, any other is
 * materialised. Confined to one thread; somebody keeps the snapshot until this is closed.
 */
public final class ObjectScan implements FoundObjects {
  /** An object and what the snapshot sees of it. */
  public record Found(Bytes id, Version version) {}

  private final Materializer materializer;
  private final VectorClock snapshot;
  private final VectorClock base;
  private final Iterator<Bytes> inMemory;
  private final EntryScan moved;
  private final EntryScan stored;

  private @Nullable Bytes nextInMemory;
  private @Nullable RunEntry nextMoved;
  private @Nullable RunEntry nextStored;

  /** Begins before the first object of the range. */
  public ObjectScan(
      ObjectIndex index,
      Materializer materializer,
      CheckpointStore checkpoints,
      IdRange range,
      VectorClock snapshot) {
    this.materializer = materializer;
    this.snapshot = snapshot;
    // Memory and journal first: what leaves them later is then in the files of the view.
    TreeSet<Bytes> ids = new TreeSet<>();
    index.forEachWithEffects(
        (id, entry) -> {
          if (range.contains(id)) {
            ids.add(id);
          }
        });
    ids.addAll(materializer.writtenUnlisted(range, snapshot));
    this.inMemory = ids.iterator();
    try (View view = checkpoints.view()) {
      this.base = view.newestAt(snapshot).map(Checkpoint::at).orElse(VectorClock.ZERO);
      this.moved = view.scanHistories(range, base);
      this.stored = view.scan(range, snapshot);
    }
    this.nextInMemory = afterInMemory();
    this.nextMoved = moved.next().orElse(null);
    this.nextStored = stored.next().orElse(null);
  }

  private @Nullable Bytes afterInMemory() {
    return inMemory.hasNext() ? inMemory.next() : null;
  }

  @Override
  public Optional<Found> next() {
    while (true) {
      Bytes id = least(nextInMemory, least(idOf(nextMoved), idOf(nextStored)));
      if (id == null) {
        return Optional.empty();
      }
      Optional<Version> version = take(id);
      if (version.isPresent()) {
        return Optional.of(new Found(id, version.get()));
      }
    }
  }

  /** What the snapshot sees of an object that is the next of at least one source. */
  private Optional<Version> take(Bytes id) {
    Optional<Version> version = Optional.empty();
    boolean hasEffects = false;
    RunEntry entry = nextStored;
    if (entry != null && id.equals(entry.id())) {
      version = Optional.of(Materializer.version(entry, base));
      nextStored = stored.next().orElse(null);
    }
    if (Objects.equals(id, idOf(nextMoved))) {
      hasEffects = true;
      nextMoved = moved.next().orElse(null);
    }
    if (Objects.equals(id, nextInMemory)) {
      hasEffects = true;
      nextInMemory = afterInMemory();
    }
    return hasEffects ? materializer.materialise(id, snapshot) : version;
  }

  private static @Nullable Bytes idOf(@Nullable RunEntry entry) {
    return entry == null ? null : entry.id();
  }

  private static @Nullable Bytes least(@Nullable Bytes one, @Nullable Bytes other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.compareTo(other) <= 0 ? one : other;
  }

  @Override
  public void close() {
    try {
      moved.close();
    } finally {
      stored.close();
    }
  }
}
