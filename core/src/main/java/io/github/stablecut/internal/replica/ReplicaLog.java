package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.LogSpace;
import java.util.List;

/**
 * The log of a copy. What changes it is for the thread of the copy, while it does not lead, and is
 * durable before it returns; reading is thread-safe.
 */
public interface ReplicaLog {
  /** The number that the next record gets; all below it are durable here. */
  long next();

  /** The number of the oldest record that was not dropped: all below it are committed. */
  long first();

  /** The epochs of its records. */
  LogEpochs epochs();

  /** How much room it has if so many bytes more are appended. */
  LogSpace room(long bytes);

  /** Appends records of the epoch that was begun last. */
  void append(List<LogRecord> records);

  /** Begins an epoch behind the last record. */
  void beginEpoch(long epoch);

  /** Cuts off a record and all behind it, and begins an epoch there. */
  void cut(long number, long epoch);

  /**
   * Reads records.
   *
   * @param from the number of the first
   * @param to the number behind the last; at most {@link #next}
   * @param maxBytes of all bodies but the first
   * @throws IllegalArgumentException if the first was dropped
   */
  List<LogRecord> read(long from, long to, long maxBytes);

  /** The newest epoch that was promised; 0 for none. */
  long promised();

  /** Promises to take no group of an earlier epoch, durably. */
  void promise(long epoch);

  /**
   * A random number if records were dropped from the end when the log was opened that this copy may
   * have acknowledged, because the disk has damaged them; 0 if the log lacks nothing. Outlives
   * restarts.
   */
  long shortened();

  /** The log has all again that it may have lost: {@link #shortened} is 0 from now on, durably. */
  void restored();

  /** Where it ends. */
  default LogEnd end() {
    return new LogEnd(epochs().last(), next(), shortened() != 0);
  }
}
