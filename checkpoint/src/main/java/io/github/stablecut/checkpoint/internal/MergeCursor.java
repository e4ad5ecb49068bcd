package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.IdRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Reads several runs as one, in ascending or descending order of ids: of the entries with the same
 * id only that of the newest run, be it a deletion. Holds the ids of large entries, and no entry
 * that is hidden. Confined to one thread.
 */
public final class MergeCursor {
  private record Source(EntryCursor cursor, int age) {}

  private final PriorityQueue<Source> sources;

  /** Sources whose entry is the one last answered, or is hidden by it. */
  private final List<Source> behind = new ArrayList<>();

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
      behind.add(new Source(cursor, behind.size()));
    }
  }

  private static int compareIds(byte[] left, byte[] right) {
    return RunFormat.compareIds(left, 0, right, 0);
  }

  /** Goes on to the next id; false if there is none. */
  public boolean advance() {
    for (Source source : behind) {
      if (source.cursor.advance()) {
        sources.add(source);
      }
    }
    behind.clear();
    if (sources.isEmpty()) {
      return false;
    }
    behind.add(sources.remove());
    while (!sources.isEmpty() && compareIds(sources.element().cursor.head(), head()) == 0) {
      behind.add(sources.remove());
    }
    return true;
  }

  private byte[] head() {
    return behind.get(0).cursor.head();
  }

  /** The entry that {@link #advance} has come to; a large one is read by this call. */
  public byte[] entry() {
    return behind.get(0).cursor.entry();
  }
}
