package io.github.stablecut.internal.partition.replicated;

/**
 * Stores a replica's newest promised epoch, and whether it may have lost records that it
 * acknowledged.
 */
public interface VoteStorage {
  /** The stored epoch; 0 if none. */
  long read();

  /** The stored {@link io.github.stablecut.internal.replica.ReplicaLog#lossMark}. */
  long shortened();

  /** Writes both, durably, before it returns. */
  void write(long epoch, long shortened);
}
