package io.github.stablecut.internal.partition;

/**
 * Where a copy of a partition keeps the newest epoch that it has promised, and whether it may have
 * lost what it has acknowledged.
 */
public interface VoteStorage {
  /** The epoch that was written last; 0 for nothing. */
  long read();

  /** What was written last of {@link io.github.stablecut.internal.replica.ReplicaLog#lossMark}. */
  long shortened();

  /** Writes both, durably, before it returns. */
  void write(long epoch, long shortened);
}
