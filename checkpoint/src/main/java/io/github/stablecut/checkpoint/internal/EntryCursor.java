package io.github.stablecut.checkpoint.internal;

/**
 * Reads the entries of a run whose ids are in a range, in one direction. Confined to one thread.
 */
interface EntryCursor {
  /** Goes on to the next entry in the range; false, and nothing more to come, if there is none. */
  boolean advance();

  /**
   * The beginning of the entry that {@link #advance} has come to, with its id: all that is held of
   * a large one.
   */
  default byte[] head() {
    return entry();
  }

  /** The entry that {@link #advance} has come to. */
  byte[] entry();
}
