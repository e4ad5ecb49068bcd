package io.github.stablecut.journal;

import java.util.List;

/**
 * Receives the outcome of appended records, one group at a time, in the order of appending. Called
 * on the flushing thread: no group is written meanwhile, so implementations hand the work over and
 * return. They may not throw: if {@link #durable} does, the journal fails, including this group.
 */
public interface GroupListener {
  /** Ignores all notifications. */
  GroupListener NOBODY =
      new GroupListener() {
        @Override
        public void durable(List<PendingRecord> group) {}

        @Override
        public void failed(List<PendingRecord> group, JournalFailedException failure) {}
      };

  /**
   * The log was opened without the bytes after its end, which may be acknowledged records that the
   * disk has damaged since. Called before anything is changed; if it throws, nothing is changed.
   */
  default void tailDropped() {}

  /** The records are durable, in the sense of the journal's {@link SyncPolicy}. */
  void durable(List<PendingRecord> group);

  /**
   * The journal failed and makes nothing more durable. It is unknown, for each of these records,
   * whether the next open finds it.
   */
  void failed(List<PendingRecord> group, JournalFailedException failure);
}
