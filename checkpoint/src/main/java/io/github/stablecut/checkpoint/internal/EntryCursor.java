package io.github.stablecut.checkpoint.internal;

/** Reads the entries of a run with ids in a range, in one direction. Confined to one thread. */
interface EntryCursor {
  /** Moves to the next entry in the range; returns false, for good, if there is none. */
  boolean advance();

  /** The beginning of the current entry, including its id. Of a large entry only this is held. */
  default byte[] head() {
    return entry();
  }

  /** The current entry. */
  byte[] entry();
}
