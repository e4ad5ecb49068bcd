package io.github.stablecut.journal;

import java.nio.ByteBuffer;

/**
 * The bytes of a segment, readable until this is closed even if the segment is deleted meanwhile.
 * Thread-safe. To be closed once, soon, by who asked for it: the space of a deleted segment is free
 * when its last view is closed.
 */
public interface SegmentView extends AutoCloseable {
  /**
   * The bytes, read-only and to be used with absolute offsets only. All that was appended before
   * the view was asked for is there, and zeros may follow.
   */
  ByteBuffer bytes();

  @Override
  void close();
}
