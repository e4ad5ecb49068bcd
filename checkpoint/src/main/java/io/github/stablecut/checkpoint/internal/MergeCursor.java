package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.IdRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Reads several runs as one, in the order of ids: of the entries with the same id only that of the
 * newest run, be it a deletion. Confined to one thread.
 */
public final class MergeCursor {
  private record Source(RunCursor cursor, int age) {}

  private static final Comparator<Source> ID_THEN_NEWEST =
      Comparator.comparing((Source source) -> source.cursor.entry(), MergeCursor::compareIds)
          .thenComparingInt(Source::age);

  private final PriorityQueue<Source> sources;

  /** Sources whose entry is the one last answered, or is hidden by it. */
  private final List<Source> behind = new ArrayList<>();

  /**
   * @param newestFirst the runs
   */
  public MergeCursor(List<RunFile> newestFirst, IdRange range) {
    this.sources = new PriorityQueue<>(Math.max(1, newestFirst.size()), ID_THEN_NEWEST);
    for (RunFile run : newestFirst) {
      behind.add(new Source(new RunCursor(run, range), behind.size()));
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
    while (!sources.isEmpty() && compareIds(sources.element().cursor.entry(), entry()) == 0) {
      behind.add(sources.remove());
    }
    return true;
  }

  /** The entry that {@link #advance} has come to. */
  public byte[] entry() {
    return behind.get(0).cursor.entry();
  }
}
