package io.github.stablecut.checkpoint;

/**
 * Receives the progress of a merge, and decides whether it continues. Called by the merging thread.
 */
@FunctionalInterface
public interface MergeProgress {
  /** Ignores the progress, and continues. */
  MergeProgress NONE = (written, atMost) -> true;

  /**
   * Reports progress about every MiB.
   *
   * @param writtenBytes the bytes of the new run so far
   * @param atMostBytes the maximum bytes of the complete run
   * @return whether to continue; if false, the result is dropped
   */
  boolean written(long writtenBytes, long atMostBytes);
}
