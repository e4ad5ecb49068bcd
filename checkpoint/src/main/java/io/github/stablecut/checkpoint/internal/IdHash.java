package io.github.stablecut.checkpoint.internal;

/**
 * Where an id stands in the index of a run. Thread-safe. Ids with the same hash are told apart by
 * their bytes; a good hash makes them rare, and a keyed one keeps strangers from choosing them.
 */
@FunctionalInterface
public interface IdHash {
  /** The hash of an id, all 64 bits alike. */
  long of(byte[] id);
}
