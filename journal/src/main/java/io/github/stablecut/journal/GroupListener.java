package io.github.stablecut.journal;

import java.util.List;

/**
 * Learns what became of appended records, a whole group at a time, in the order of appending.
 * Called on the committing thread: while it runs nothing is committed, so it hands over and
 * returns. It may not throw: if {@link #committed} does, the journal fails, this group included.
 */
public interface GroupListener {
  /** The records count as committed under the journal's {@link SyncPolicy}. */
  void committed(List<PendingRecord> group);

  /**
   * The journal failed and will commit nothing more. Whether these records are found at the next
   * open is unknown, for each of them by itself.
   */
  void failed(List<PendingRecord> group, JournalFailedException failure);
}
