package io.github.stablecut.checkpoint;

/** Is told how far a merge is. Called by the thread that merges. */
@FunctionalInterface
public interface MergeProgress {
  /** Nobody. */
  MergeProgress NONE = (written, atMost) -> {};

  /**
   * About every MiB.
   *
   * @param writtenBytes what the new run has so far
   * @param atMostBytes what it can have at the end
   */
  void written(long writtenBytes, long atMostBytes);
}
