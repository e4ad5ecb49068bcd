package io.github.stablecut.checkpoint;

/** Is told how far a merge is, and says whether it goes on. Called by the thread that merges. */
@FunctionalInterface
public interface MergeProgress {
  /** Tells nobody, and goes on. */
  MergeProgress NONE = (written, atMost) -> true;

  /**
   * About every MiB.
   *
   * @param writtenBytes what the new run has so far
   * @param atMostBytes what it can have at the end
   * @return whether to go on; if not, what was merged is dropped
   */
  boolean written(long writtenBytes, long atMostBytes);
}
