package io.github.stablecut.journal.segment;

/**
 * The bytes of a segment, readable until the view is closed, even if the segment is deleted
 * meanwhile. Thread-safe. The caller closes the view once, and soon: a deleted segment's space is
 * freed when its last view closes.
 */
public interface SegmentView extends AutoCloseable {
  /** The bytes. They include everything appended before the view was opened; zeros may follow. */
  SegmentBytes bytes();

  @Override
  void close();
}
