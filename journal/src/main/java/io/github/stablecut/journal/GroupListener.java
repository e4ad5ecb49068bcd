package io.github.stablecut.journal;

import java.util.List;

/**
 * Learns what became of appended records, a whole group at a time, in the order of appending.
 * Called on the flushing thread: while it runs no group is written, so it hands over and returns.
 * It may not throw: if {@link #durable} does, the journal fails, this group included.
 */
public interface GroupListener {
  /** Nobody listens. */
  GroupListener NOBODY =
      new GroupListener() {
        @Override
        public void durable(List<PendingRecord> group) {}

        @Override
        public void failed(List<PendingRecord> group, JournalFailedException failure) {}
      };

  /**
   * The log was opened without what lay behind its end, which may have been records that were
   * acknowledged, and that the disk has damaged since. Called before anything is changed; if it
   * throws, nothing is.
   */
  default void tailDropped() {}

  /** The records are durable, in the sense of the journal's {@link SyncPolicy}. */
  void durable(List<PendingRecord> group);

  /**
   * The journal failed and will make nothing more durable. Whether these records are found at the
   * next open is unknown, for each of them by itself.
   */
  void failed(List<PendingRecord> group, JournalFailedException failure);
}
