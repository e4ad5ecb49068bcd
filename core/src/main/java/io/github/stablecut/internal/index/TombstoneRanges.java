package io.github.stablecut.internal.index;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Ranges of ids in which scans found only deleted objects, which later scans skip. Thread-safe.
 *
 * <p>Invariant: no snapshot at or after a run's snapshot sees an object in it. A scan watches its
 * range before reading it, so it knows the objects written meanwhile. Later, each write splits the
 * run that contains it before any snapshot sees the write.
 *
 * <p>The ids of runs take at most a megabyte, or less in a small heap; so do the ids written during
 * one scan.
 */
public final class TombstoneRanges {
  /** The maximum number of runs; a dropped run only makes scans slower. */
  private static final int MAX_RUNS = 1 << 12;

  /** The maximum total size of the ids of runs, in bytes, for each partition. */
  static final long MAX_BYTES = HeapShare.of(1 << 20);

  /** The maximum number of objects written during a scan; with more, the scan adds no runs. */
  private static final int MAX_WRITTEN = 1 << 12;

  @GuardedBy("this")
  private final NavigableMap<Bytes, Run> runs = new TreeMap<>();

  /** The total size of the ids of all runs, in bytes. */
  @GuardedBy("this")
  private long bytes;

  @GuardedBy("this")
  private final List<Watch> watches = new ArrayList<>();

  /** Whether there are runs or watches; saves most writers from taking the lock. */
  private volatile boolean isUsed;

  /**
   * A run, by its first id.
   *
   * @param until the exclusive end
   * @param at no snapshot at or after it sees an object
   */
  private record Run(Bytes until, VectorClock at) {}

  /** Collects the objects written in a range from now on. Closed by its owner. */
  public final class Watch implements AutoCloseable {
    private final IdRange range;
    private final NavigableSet<Bytes> written = new TreeSet<>();

    /** The total size of the ids, in bytes. */
    private long writtenBytes;

    private Watch(IdRange range) {
      this.range = range;
    }

    @Override
    public void close() {
      end(this);
    }
  }

  /** Watches a range. Earlier writes are in the index. */
  public synchronized Watch watch(IdRange range) {
    Watch watch = new Watch(range);
    watches.add(watch);
    isUsed = true;
    return watch;
  }

  private synchronized void end(Watch watch) {
    watches.remove(watch);
    isUsed = !runs.isEmpty() || !watches.isEmpty();
  }

  /** Notifies that an effect or an intent of an object was added to the index. */
  void written(Bytes id) {
    if (isUsed) {
      split(id);
    }
  }

  private synchronized void split(Bytes id) {
    watches.removeIf(watch -> watch.range.contains(id) && addAndCheckFull(watch, id));
    Map.Entry<Bytes, Run> below = runs.floorEntry(id);
    if (below != null && id.compareTo(below.getValue().until) < 0) {
      Run run = below.getValue();
      remove(below.getKey());
      put(below.getKey(), id, run.at);
      put(id.successor(), run.until, run.at);
    }
  }

  /** Adds an object written in a range; returns whether the watch holds too much. */
  private static boolean addAndCheckFull(Watch watch, Bytes id) {
    if (watch.written.add(id)) {
      watch.writtenBytes += id.length();
    }
    return watch.written.size() > MAX_WRITTEN || watch.writtenBytes > MAX_BYTES;
  }

  /** Adds a run that touches no other, and drops the first runs if there are too many. */
  @GuardedBy("this")
  private void put(Bytes from, Bytes until, VectorClock at) {
    if (from.compareTo(until) >= 0) {
      return;
    }
    runs.put(from, new Run(until, at));
    bytes += from.length() + until.length();
    while (runs.size() > MAX_RUNS || bytes > MAX_BYTES) {
      remove(runs.firstKey());
    }
  }

  @GuardedBy("this")
  private void remove(Bytes from) {
    Run run = runs.remove(from);
    if (run != null) {
      bytes -= from.length() + run.until.length();
    }
  }

  /** The total size of the kept ids, in bytes. */
  synchronized long bytes() {
    return bytes + watches.stream().mapToLong(watch -> watch.writtenBytes).sum();
  }

  /**
   * Returns a range without the runs at the start of a scan at a snapshot; the range itself if
   * there are none.
   *
   * @param isDescending whether the scan starts at the end of the range
   */
  public IdRange skip(IdRange range, boolean isDescending, VectorClock snapshot) {
    return isUsed ? skipKnown(range, isDescending, snapshot) : range;
  }

  private synchronized IdRange skipKnown(
      IdRange range, boolean isDescending, VectorClock snapshot) {
    IdRange rest = range;
    while (!rest.isEmpty()) {
      Map.Entry<Bytes, Run> first = first(rest, isDescending);
      if (first == null || !first.getValue().at.isAtOrBefore(snapshot)) {
        return rest;
      }
      rest = isDescending ? rest.below(first.getKey()) : rest.atOrAbove(first.getValue().until);
    }
    return rest;
  }

  /** Returns the run at the start of a range; null if there is none. */
  @GuardedBy("this")
  private Map.@Nullable Entry<Bytes, Run> first(IdRange range, boolean isDescending) {
    if (!isDescending) {
      Map.Entry<Bytes, Run> below = runs.floorEntry(range.from());
      return below != null && range.from().compareTo(below.getValue().until) < 0 ? below : null;
    }
    if (range.until().isEmpty()) {
      return null;
    }
    Bytes end = range.until().get();
    Map.Entry<Bytes, Run> below = runs.lowerEntry(end);
    return below != null && end.compareTo(below.getValue().until) <= 0 ? below : null;
  }

  /**
   * Remembers a range in which a snapshot sees no objects and for which no later effects were in
   * memory when it was scanned, except for objects written since then.
   *
   * @param watch the watch of the range, opened before the scan
   */
  public synchronized void remember(Watch watch, Bytes from, Bytes until, VectorClock at) {
    if (!watches.contains(watch)) {
      return; // too many objects were written
    }
    IdRange watched = watch.range.atOrAbove(from).below(until);
    Bytes begin = watched.from();
    for (Bytes id : watch.written) {
      if (watched.contains(id)) {
        add(begin, id, at);
        begin = id.successor();
      }
    }
    add(begin, watched.until().orElse(until), at);
  }

  /** Adds a run, merged with those that it touches. */
  @GuardedBy("this")
  private void add(Bytes from, Bytes until, VectorClock at) {
    if (from.compareTo(until) >= 0) {
      return;
    }
    Bytes begin = from;
    Bytes end = until;
    VectorClock newest = at;
    for (Map.Entry<Bytes, Run> next = runs.floorEntry(end);
        next != null && begin.compareTo(next.getValue().until) <= 0;
        next = runs.floorEntry(end)) {
      begin = next.getKey().compareTo(begin) < 0 ? next.getKey() : begin;
      end = next.getValue().until.compareTo(end) > 0 ? next.getValue().until : end;
      newest = newest.join(next.getValue().at);
      remove(next.getKey());
    }
    put(begin, end, newest);
  }
}
