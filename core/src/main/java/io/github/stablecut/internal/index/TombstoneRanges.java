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
 * Ranges of ids in which scans have seen nothing but deleted objects, so that later scans need not
 * look at each of them again. Thread-safe.
 *
 * <p>Invariant: no snapshot at or after that of a run sees an object in it. A scan watches its
 * range before it looks at it, so it knows what is written meanwhile; afterwards each write cuts
 * the run that it is in, before any snapshot sees it.
 *
 * <p>The ids of runs take at most a megabyte, or less in a small heap, and so do those that are
 * written beside one scan.
 */
public final class TombstoneRanges {
  /** No more runs are kept: without one a scan only takes longer. */
  private static final int MOST_RUNS = 1 << 12;

  /** How many bytes the ids of runs may have together, as there is one of these per partition. */
  static final long MOST_BYTES = HeapShare.of(1 << 20);

  /** A scan beside which more is written remembers nothing. */
  private static final int MOST_WRITTEN = 1 << 12;

  @GuardedBy("this")
  private final NavigableMap<Bytes, Run> runs = new TreeMap<>();

  /** How long the ids of all runs are. */
  @GuardedBy("this")
  private long bytes;

  @GuardedBy("this")
  private final List<Watch> watches = new ArrayList<>();

  /** Whether there are runs or watches: most writers need not wait for the lock. */
  private volatile boolean isUsed;

  /**
   * A run, by its first id.
   *
   * @param until the id that it ends before
   * @param at no snapshot at or after it sees anything
   */
  private record Run(Bytes until, VectorClock at) {}

  /** What is written in a range from now on. Closed by who has opened it. */
  public final class Watch implements AutoCloseable {
    private final IdRange range;
    private final NavigableSet<Bytes> written = new TreeSet<>();

    /** How long the ids are. */
    private long writtenBytes;

    private Watch(IdRange range) {
      this.range = range;
    }

    @Override
    public void close() {
      end(this);
    }
  }

  /** Watches a range. What was written before is in the index. */
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

  /** An effect on an object, or the intent of one, was added to the index. */
  void written(Bytes id) {
    if (isUsed) {
      cut(id);
    }
  }

  private synchronized void cut(Bytes id) {
    watches.removeIf(watch -> watch.range.contains(id) && addTooMuch(watch, id));
    Map.Entry<Bytes, Run> below = runs.floorEntry(id);
    if (below != null && id.compareTo(below.getValue().until) < 0) {
      Run run = below.getValue();
      remove(below.getKey());
      put(below.getKey(), id, run.at);
      put(id.successor(), run.until, run.at);
    }
  }

  /** Adds what was written in a range; returns whether that is too much to be remembered. */
  private static boolean addTooMuch(Watch watch, Bytes id) {
    if (watch.written.add(id)) {
      watch.writtenBytes += id.length();
    }
    return watch.written.size() > MOST_WRITTEN || watch.writtenBytes > MOST_BYTES;
  }

  /** Adds a run that touches no other, and drops the first ones if there are too many. */
  @GuardedBy("this")
  private void put(Bytes from, Bytes until, VectorClock at) {
    if (from.compareTo(until) >= 0) {
      return;
    }
    runs.put(from, new Run(until, at));
    bytes += from.length() + until.length();
    while (runs.size() > MOST_RUNS || bytes > MOST_BYTES) {
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

  /** How long the ids are that are kept. */
  synchronized long bytes() {
    return bytes + watches.stream().mapToLong(watch -> watch.writtenBytes).sum();
  }

  /**
   * A range without the runs that a scan of it at a snapshot begins with; itself if there are none.
   *
   * @param isDescending whether the scan begins at the end of the range
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

  /** The run that a range begins with; null if there is none. */
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
   * Remembers a range in which a snapshot sees nothing, and of which no later effects were in
   * memory when it was looked at, but for what was written since then.
   *
   * @param watch of the range, since before it was looked at
   */
  public synchronized void remember(Watch watch, Bytes from, Bytes until, VectorClock at) {
    if (!watches.contains(watch)) {
      return; // too much was written
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

  /** Adds a run, together with those that it touches. */
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
