package io.github.stablecut.internal.recovery;

import io.github.stablecut.journal.segment.ForwardingSegments;
import io.github.stablecut.journal.segment.SegmentStore;
import java.io.IOException;

/**
 * Journal segments, fenced by the lock of the directory: an append after another process has opened
 * the directory fails, so the journal does not acknowledge it. As thread-safe as the segments.
 */
public final class FencedSegments extends ForwardingSegments {
  private final DirectoryLock lock;

  /** The segments of a journal in a locked directory. */
  public FencedSegments(SegmentStore segments, DirectoryLock lock) {
    super(segments);
    this.lock = lock;
  }

  @Override
  public void markSynced(long sequence) throws IOException {
    lock.check();
    super.markSynced(sequence);
  }

  @Override
  public long create(int segment, byte[] chunk, int length) throws IOException {
    lock.check();
    return super.create(segment, chunk, length);
  }

  /**
   * Appends first, then checks: a process that opens the directory after the check reads what was
   * appended.
   */
  @Override
  public long append(byte[] chunk, int length) throws IOException {
    long start = super.append(chunk, length);
    lock.check();
    return start;
  }

  @Override
  public void delete(int segment) throws IOException {
    lock.check();
    super.delete(segment);
  }
}
