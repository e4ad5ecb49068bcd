package io.github.stablecut.journal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The other replicas of a log. They receive each group while it is written here, and a record is
 * <em>durable</em> only once enough of them have it, too. Called on the flushing thread: {@link
 * #send} before the group is written, {@link #await} after it was synced.
 */
public interface LogReplicas {
  /** No other replicas. */
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
   * Starts sending a group, and returns immediately.
   *
   * @param first the number of its first record
   * @param group not empty; must not be modified, nor retained after {@link #await} has returned
   */
  void send(long first, List<PendingRecord> group);

  /**
   * Waits until enough of the other replicas have all records below a number durably. If it throws,
   * the journal fails, because it is unknown whether the group is durable.
   *
   * @throws LogDeposedException if this replica no longer leads
   */
  void await(long next);

  /**
   * Asks the other replicas to confirm that this replica still leads (a read index round).
   *
   * @return completes with true if no other leader can have made anything durable before this call
   */
  CompletionStage<Boolean> confirm();

  /**
   * Checks that enough of the other replicas have disk space for more records.
   *
   * @throws DiskFullException if they don't
   */
  void checkRoom();

  /**
   * The recommended maximum body of a record to send; larger ones are sent, too, but take memory.
   */
  int largestRecord();

  /** Whether {@link #checkRoom} may throw or block. */
  boolean mayLackRoom();

  /** The number of the oldest record that another replica may need. */
  long oldestNeeded();
}
