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
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a range at a snapshot, in the order of their ids. Merges the checkpoint at or
 * before the snapshot, the ids of effects in history files, and the ids of effects in memory: an
 * object that is in the checkpoint only is answered from there as the file is read, any other is
 * materialised. Works in pages, the first ones small, so that who takes a few objects pays for a
 * few. Confined to one thread; somebody keeps the snapshot until this is closed.
 */
public final class ObjectScan implements FoundObjects {
  /** How many ids of objects in memory the first page has at most. */
  private static final int FIRST_PAGE = 64;

  private static final int MAX_PAGE = 1 << 16;

  /** An object and what the snapshot sees of it. */
  public record Found(Bytes id, Version version) {}

  private final ObjectIndex index;
  private final Materializer materializer;
  private final CheckpointStore checkpoints;
  private final IdRange range;
  private final VectorClock snapshot;

  /** The written objects that the index does not know. */
  private final NavigableSet<Bytes> unlisted;

  private int pageSize = FIRST_PAGE;
  private @Nullable Page page;

  /** Begins before the first object of the range. */
  public ObjectScan(
      ObjectIndex index,
      Materializer materializer,
      CheckpointStore checkpoints,
      IdRange range,
      VectorClock snapshot) {
    this.index = index;
    this.materializer = materializer;
    this.checkpoints = checkpoints;
    this.range = range;
    this.snapshot = snapshot;
    this.unlisted = new TreeSet<>(materializer.writtenUnlisted(range, snapshot));
    this.page = new Page(range.from());
  }

  @Override
  public Optional<Found> next() {
    while (page != null) {
      Optional<Found> found = page.next();
      if (found.isPresent()) {
        return found;
      }
      Optional<Bytes> rest = page.part.until().filter(range::contains);
      page.close();
      pageSize = Math.min(MAX_PAGE, 4 * pageSize);
      page = rest.isPresent() ? new Page(rest.get()) : null;
    }
    return Optional.empty();
  }

  @Override
  public void close() {
    if (page != null) {
      page.close();
      page = null;
    }
  }

  /** A part of the range, in which few objects are in memory. */
  private final class Page {
    private final IdRange part;
    private final VectorClock base;
    private final Iterator<Bytes> inMemory;
    private final EntryScan moved;
    private final EntryScan stored;

    private @Nullable Bytes nextInMemory;
    private @Nullable RunEntry nextMoved;
    private @Nullable RunEntry nextStored;

    Page(Bytes from) {
      // Memory first: what leaves it later is then in the files of the view.
      List<Bytes> listed = index.withEffects(from, pageSize);
      this.part = partFrom(from, listed);
      NavigableSet<Bytes> ids = new TreeSet<>();
      listed.stream().filter(part::contains).forEach(ids::add);
      unlisted.tailSet(from).stream().takeWhile(part::contains).forEach(ids::add);
      this.inMemory = ids.iterator();
      try (View view = checkpoints.view()) {
        this.base = view.newestAt(snapshot).map(Checkpoint::at).orElse(VectorClock.ZERO);
        this.moved = view.scanHistories(part, base);
        this.stored = view.scan(part, snapshot);
      }
      this.nextInMemory = afterInMemory();
      this.nextMoved = moved.next().orElse(null);
      this.nextStored = stored.next().orElse(null);
    }

    /** From an id through the last one of a full page; otherwise to the end of the range. */
    private IdRange partFrom(Bytes from, List<Bytes> listed) {
      if (listed.size() == pageSize) {
        Bytes afterLast = afterId(listed.get(listed.size() - 1));
        if (range.contains(afterLast)) {
          return IdRange.between(from, afterLast);
        }
      }
      return range.until().map(until -> IdRange.between(from, until)).orElse(IdRange.from(from));
    }

    private @Nullable Bytes afterInMemory() {
      return inMemory.hasNext() ? inMemory.next() : null;
    }

    Optional<Found> next() {
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

    void close() {
      try {
        moved.close();
      } finally {
        stored.close();
      }
    }
  }

  /** The least id above another. */
  private static Bytes afterId(Bytes id) {
    return Bytes.wrap(Arrays.copyOf(id.toArray(), id.length() + 1));
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
}
