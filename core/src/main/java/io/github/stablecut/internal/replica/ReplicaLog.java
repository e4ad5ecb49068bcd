package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.List;

/**
 * The log of a replica. Only the replica's thread changes it, while the replica does not lead; a
 * change is durable when its method returns. Reading is thread-safe.
 */
public interface ReplicaLog {
  /** The number of the next record; all records below it are durable on this node. */
  long next();

  /** The number of the oldest retained record; all records below it are committed. */
  long first();

  /** The epochs of its records. */
  LogEpochs epochs();

  /** The disk space left if this many more bytes are appended. */
  LogSpace spaceAfter(long bytes);

  /** Appends records of the current epoch. */
  void append(List<LogRecord> records);

  /** Begins an epoch after the last record. */
  void beginEpoch(long epoch);

  /** Cuts off a record and all later ones, and begins an epoch there. */
  void cut(long number, long epoch);

  /**
   * Reads records.
   *
   * @param from the number of the first
   * @param to the number after the last; at most {@link #next}
   * @param maxBytes limits the bodies, but the first record is always included
   * @throws IllegalArgumentException if the first was dropped
   */
  List<LogRecord> read(long from, long to, long maxBytes);

  /** The newest promised epoch; 0 if none. */
  long promisedEpoch();

  /** Promises durably to accept no group of an earlier epoch. */
  void promiseEpoch(long epoch);

  /**
   * A random number if the log, when opened, lost records at its end to disk damage that this
   * replica may have acknowledged; 0 if nothing is missing. Survives restarts.
   */
  long lossMark();

  /** Marks the log as recovered, durably: {@link #lossMark} is 0 from now on. */
  void markRecovered();

  /** The end of the log. */
  default LogEnd end() {
    return new LogEnd(epochs().last(), next(), lossMark() != 0);
  }
}
