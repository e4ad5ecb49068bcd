package io.github.stablecut.journal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The other copies of a log, which get each group while it is written here, and without which
 * nothing becomes durable: a record is <em>durable</em> once enough of them have it too. Called on
 * the flushing thread, {@link #send} before the group is written, {@link #await} after it was
 * synced.
 */
public interface LogReplicas {
  /** There are none. */
  LogReplicas NONE =
      new LogReplicas() {
        @Override
        public void send(long first, List<PendingRecord> group) {}

        @Override
        public void await(long next) {}

        @Override
        public CompletionStage<Boolean> confirm() {
          return CompletableFuture.completedFuture(true);
        }

        @Override
        public long oldestNeeded() {
          return Long.MAX_VALUE;
        }

        @Override
        public void checkRoom() {}

        @Override
        public int largestRecord() {
          return Integer.MAX_VALUE;
        }

        @Override
        public boolean mayLackRoom() {
          return false;
        }
      };

  /**
   * Begins to send a group, and returns at once.
   *
   * @param first the number of its first record
   * @param group not empty; must not be changed, nor kept after {@link #await} has returned
   */
  void send(long first, List<PendingRecord> group);

  /**
   * Waits until enough of the other copies have all records below a number, durably. If it throws,
   * the journal fails: nobody knows then whether the group counts.
   *
   * @throws LogDeposedException if this log does not lead any more
   */
  void await(long next);

  /**
   * Asks the other copies whether this log still leads.
   *
   * @return completes with whether nothing can have become durable anywhere else before this call
   */
  CompletionStage<Boolean> confirm();

  /**
   * Checks that enough of the other copies have room on their disks for more records.
   *
   * @throws DiskFullException if they have not
   */
  void checkRoom();

  /** The largest body of a record that is sent; larger ones are sent, too, but take memory. */
  int largestRecord();

  /** Whether {@link #checkRoom} may throw, or take long. */
  boolean mayLackRoom();

  /** The number of the oldest record that another copy may need. */
  long oldestNeeded();
}
