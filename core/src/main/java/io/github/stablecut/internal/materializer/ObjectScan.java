package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.EntryScan;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.paging.PageIds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A scan of the objects of a range at a snapshot, in ascending or descending order of their ids. It
 * merges the checkpoint at or before the snapshot with the ids of effects in history files and in
 * memory. An object that is only in the checkpoint is read from it sequentially; any other is
 * materialized. The scan works in pages, the first ones small, so that reading a few objects is
 * cheap. Confined to one thread; the caller keeps the snapshot registered until the scan is closed.
 */
public final class ObjectScan implements ScannedObjects {
  /** The maximum number of objects in memory in the first page. */
  private static final int MAX_FIRST_PAGE = 1 << 10;

  private static final int MAX_PAGE = 1 << 16;

  private final ObjectIndex index;
  private final Materializer materializer;
  private final CheckpointStore checkpoints;
  private final ScanPlan plan;
  private final VectorClock snapshot;

  /**
   * The written objects that the index does not list, if it has dropped effects through a floor.
   */
  private NavigableSet<Bytes> unlisted = Collections.emptyNavigableSet();

  private @Nullable VectorClock unlistedFloor;
  private int pageSize;
  private @Nullable Page page;
  private boolean hasSkipped;

  /** Opens a scan before the first object of the range. */
  public ObjectScan(
      ObjectIndex index,
      Materializer materializer,
      CheckpointStore checkpoints,
      ScanPlan plan,
      VectorClock snapshot) {
    this.index = index;
    this.materializer = materializer;
    this.checkpoints = checkpoints;
    this.plan = plan;
    this.snapshot = snapshot;
    this.pageSize = Math.max(1, Math.min(MAX_FIRST_PAGE, plan.maxObjects()));
    IdRange range = plan.range().atOrAbove(PageIds.OBJECTS.from());
    this.page = range.isEmpty() ? null : new Page(range);
  }

  @Override
  public Optional<FoundObject> next() {
    while (page != null) {
      Optional<FoundObject> found = page.next();
      if (found.isPresent()) {
        return found;
      }
      Optional<IdRange> rest = page.rest;
      page.close();
      pageSize = Math.min(MAX_PAGE, 4 * pageSize);
      page = rest.isPresent() ? new Page(rest.get()) : null;
    }
    return Optional.empty();
  }

  @Override
  public boolean hasSkipped() {
    boolean have = hasSkipped;
    hasSkipped = false;
    return have;
  }

  @Override
  public void close() {
    if (page != null) {
      page.close();
      page = null;
    }
  }

  /**
   * Returns the unlisted objects. Called after the objects in memory were listed, because a
   * checkpoint may have dropped others before.
   */
  private NavigableSet<Bytes> unlisted() {
    if (index.listsEffects()) {
      return unlisted;
    }
    VectorClock floor = index.floor();
    if (!Objects.equals(floor, unlistedFloor)) {
      unlisted = new TreeSet<>(materializer.writtenUnlisted(plan.range(), snapshot));
      unlistedFloor = floor;
    }
    return unlisted;
  }

  /** The first part of a range, with at most {@link #pageSize} objects in memory. */
  private final class Page {
    /** The rest of the range; empty if there is none. */
    private final Optional<IdRange> rest;

    private final VectorClock base;
    private final Iterator<Map.Entry<Bytes, ObjectEntry>> inMemory;
    private final Iterator<Bytes> inJournal;
    private final EntryScan moved;
    private final EntryScan stored;

    private final CheckpointView view;
    private boolean isClosed;

    /** The open scans of files. */
    private final List<EntryScan> open = new ArrayList<>(2);

    private Map.@Nullable Entry<Bytes, ObjectEntry> nextInMemory;
    private @Nullable Bytes nextInJournal;
    private @Nullable RunEntry nextMoved;
    private @Nullable RunEntry nextStored;

    Page(IdRange range) {
      // List memory first: objects that leave it later are in the files of the view.
      List<Map.Entry<Bytes, ObjectEntry>> listed =
          index.withEffects(range, plan.isDescending(), pageSize);
      this.rest = listed.size() < pageSize ? Optional.empty() : restAfter(listed, range);
      IdRange part = rest.map(remaining -> without(remaining, range)).orElse(range);
      this.inMemory = listed.iterator();
      this.inJournal = unlistedIn(part);
      this.view = checkpoints.view();
      try {
        this.base = view.newestAt(snapshot).map(Checkpoint::at).orElse(VectorClock.ZERO);
        this.moved = opened(view.scanHistories(part, base, plan.isDescending()));
        this.stored = opened(view.scan(part, snapshot, plan.isDescending()));
        this.nextInMemory = after(inMemory);
        this.nextInJournal = after(inJournal);
        this.nextMoved = moved.next().orElse(null);
        this.nextStored = stored.next().orElse(null);
      } catch (RuntimeException | Error e) {
        close();
        throw e;
      }
    }

    private Iterator<Bytes> unlistedIn(IdRange part) {
      NavigableSet<Bytes> above = unlisted().tailSet(part.from(), true);
      NavigableSet<Bytes> inside =
          part.until().map(until -> above.headSet(until, false)).orElse(above);
      return plan.isDescending() ? inside.descendingIterator() : inside.iterator();
    }

    private EntryScan opened(EntryScan scan) {
      open.add(scan);
      return scan;
    }

    /** Returns the rest of a range after the last id of a full page. */
    private Optional<IdRange> restAfter(List<Map.Entry<Bytes, ObjectEntry>> listed, IdRange range) {
      Bytes last = listed.get(listed.size() - 1).getKey();
      IdRange remaining =
          plan.isDescending() ? range.below(last) : range.atOrAbove(last.successor());
      return remaining.isEmpty() ? Optional.empty() : Optional.of(remaining);
    }

    /** Returns a range without its rest. */
    private IdRange without(IdRange remaining, IdRange range) {
      return plan.isDescending()
          ? range.atOrAbove(remaining.until().orElseThrow())
          : range.below(remaining.from());
    }

    Optional<FoundObject> next() {
      while (true) {
        Bytes id =
            first(
                first(idOf(nextInMemory), nextInJournal), first(idOf(nextMoved), idOf(nextStored)));
        if (id == null) {
          return Optional.empty();
        }
        Optional<Version> version = take(id);
        if (version.isPresent()) {
          return Optional.of(FoundObject.of(id, version.get()));
        }
        hasSkipped = true;
      }
    }

    /**
     * Takes an object that is next in at least one source, and returns the version that the
     * snapshot sees.
     */
    private Optional<Version> take(Bytes id) {
      Optional<Version> version = Optional.empty();
      boolean hasEffects = false;
      RunEntry entry = nextStored;
      if (entry != null && id.equals(entry.id())) {
        version = Optional.of(materializer.states().version(entry, view, base));
        nextStored = stored.next().orElse(null);
      }
      if (Objects.equals(id, idOf(nextMoved))) {
        hasEffects = true;
        nextMoved = moved.next().orElse(null);
      }
      if (Objects.equals(id, nextInJournal)) {
        hasEffects = true;
        nextInJournal = after(inJournal);
      }
      ObjectEntry known = null;
      if (nextInMemory != null && id.equals(nextInMemory.getKey())) {
        hasEffects = true;
        known = nextInMemory.getValue();
        nextInMemory = after(inMemory);
      }
      return hasEffects ? materializer.materialize(id, known, snapshot) : version;
    }

    void close() {
      open.forEach(EntryScan::close);
      if (!isClosed) {
        isClosed = true;
        view.close();
      }
    }
  }

  private static <T> @Nullable T after(Iterator<T> source) {
    return source.hasNext() ? source.next() : null;
  }

  private static @Nullable Bytes idOf(Map.@Nullable Entry<Bytes, ObjectEntry> object) {
    return object == null ? null : object.getKey();
  }

  private static @Nullable Bytes idOf(@Nullable RunEntry entry) {
    return entry == null ? null : entry.id();
  }

  /** Returns the id that comes first in scan order. */
  private @Nullable Bytes first(@Nullable Bytes one, @Nullable Bytes other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.compareTo(other) <= 0 == !plan.isDescending() ? one : other;
  }
}
