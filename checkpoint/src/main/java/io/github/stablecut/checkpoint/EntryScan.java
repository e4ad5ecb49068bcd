package io.github.stablecut.checkpoint;

import io.github.stablecut.checkpoint.internal.MergeCursor;
import java.util.Optional;

/**
 * The objects of a range at a snapshot, in ascending or descending order of their ids, read from
 * the files during the scan. To be closed soon: runs merged meanwhile are kept until then. Confined
 * to one thread.
 */
public final class EntryScan implements AutoCloseable {
  private final CheckpointView view;
  private final MergeCursor cursor;
  private boolean isClosed;

  /**
   * @param view closed with this
   */
  EntryScan(CheckpointView view, MergeCursor cursor) {
    this.view = view;
    this.cursor = cursor;
  }

  /**
   * The next object that has a state; empty if there is none.
   *
   * @throws CorruptCheckpointException if a file is damaged
   */
  public Optional<RunEntry> next() {
    if (isClosed) {
      throw new IllegalStateException("the scan is closed");
    }
    while (cursor.advance()) {
      RunEntry entry = RunEntry.ofEncoded(cursor.entry());
      if (!entry.isDeleted()) {
        return Optional.of(entry);
      }
    }
    return Optional.empty();
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      view.close();
    }
  }
}
