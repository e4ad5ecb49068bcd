package io.github.stablecut.checkpoint.internal;

/**
 * The hash that orders ids in the index of a run. Thread-safe. Ids with the same hash are
 * distinguished by their bytes; a good hash makes them rare, and a keyed one keeps outsiders from
 * choosing them.
 */
@FunctionalInterface
public interface IdHash {
  /** The hash of an id; all 64 bits are equally random. */
  long of(byte[] id);
}
