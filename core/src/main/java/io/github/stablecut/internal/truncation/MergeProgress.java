package io.github.stablecut.internal.truncation;

/**
 * The progress of a merge of checkpoint files. Immutable.
 *
 * @param writtenBytes the bytes written so far
 * @param atMostBytes the most bytes that it may write; 0 if no merge is in progress
 */
public record MergeProgress(long writtenBytes, long atMostBytes) {
  static final MergeProgress NONE = new MergeProgress(0, 0);
}
