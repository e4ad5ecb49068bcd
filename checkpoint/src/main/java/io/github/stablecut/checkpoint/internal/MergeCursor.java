package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.IdRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Reads several runs as one, in ascending or descending order of ids. Of entries with the same id
 * it returns only that of the newest run, even if it is a deletion. Of large entries it holds only
 * the ids, and it holds no hidden entry. Confined to one thread.
 */
public final class MergeCursor {
  private record Source(EntryCursor cursor, int age) {}

  private final PriorityQueue<Source> sources;

  /** Sources whose entry is the current one, or is hidden by it. */
  private final List<Source> consumed = new ArrayList<>();

  /**
   * @param newestFirst the runs
   * @param isDescending whether the greatest id comes first
   */
  public MergeCursor(List<RunFile> newestFirst, IdRange range, boolean isDescending) {
    Comparator<byte[]> order = MergeCursor::compareIds;
    Comparator<Source> idThenNewest =
        Comparator.comparing(
                (Source source) -> source.cursor.head(), isDescending ? order.reversed() : order)
            .thenComparingInt(Source::age);
    this.sources = new PriorityQueue<>(Math.max(1, newestFirst.size()), idThenNewest);
    for (RunFile run : newestFirst) {
      EntryCursor cursor =
          isDescending ? new DescendingRunCursor(run, range) : new RunCursor(run, range);
      consumed.add(new Source(cursor, consumed.size()));
    }
  }

  private static int compareIds(byte[] left, byte[] right) {
    return RunFormat.compareIds(left, 0, right, 0);
  }

  /** Moves to the next id; returns false if there is none. */
  public boolean advance() {
    for (Source source : consumed) {
      if (source.cursor.advance()) {
        sources.add(source);
      }
    }
    consumed.clear();
    if (sources.isEmpty()) {
      return false;
    }
    consumed.add(sources.remove());
    while (!sources.isEmpty() && compareIds(sources.element().cursor.head(), head()) == 0) {
      consumed.add(sources.remove());
    }
    return true;
  }

  private byte[] head() {
    return consumed.get(0).cursor.head();
  }

  /** The current entry; this call reads a large one. */
  public byte[] entry() {
    return consumed.get(0).cursor.entry();
  }
}
