package io.github.stablecut.internal.recovery;

import io.github.stablecut.journal.SegmentStore;
import io.github.stablecut.journal.SegmentView;
import java.io.IOException;
import java.util.List;

/**
 * Journal segments, fenced by the lock of the directory: an append after another process has opened
 * the directory fails, so the journal does not acknowledge it. Thread-safe, as the segments are.
 */
public final class FencedSegments implements SegmentStore {
  private final SegmentStore segments;
  private final DirectoryLock lock;

  /** The segments of a journal in a locked directory. */
  public FencedSegments(SegmentStore segments, DirectoryLock lock) {
    this.segments = segments;
    this.lock = lock;
  }

  @Override
  public List<Integer> segments() {
    return segments.segments();
  }

  @Override
  public Extent extent() throws IOException {
    return segments.extent();
  }

  @Override
  public void markSynced(long sequence) throws IOException {
    lock.check();
    segments.markSynced(sequence);
  }

  @Override
  public String nameOf(int segment) {
    return segments.nameOf(segment);
  }

  @Override
  public long create(int segment, byte[] chunk, int length) throws IOException {
    lock.check();
    return segments.create(segment, chunk, length);
  }

  /**
   * Appends first, then checks: a process that opens the directory after the check reads what was
   * appended.
   */
  @Override
  public long append(byte[] chunk, int length) throws IOException {
    long start = segments.append(chunk, length);
    lock.check();
    return start;
  }

  @Override
  public void force(int segment) throws IOException {
    segments.force(segment);
  }

  @Override
  public SegmentView view(int segment) throws IOException {
    return segments.view(segment);
  }

  @Override
  public long allocatedBytes(int segment) {
    return segments.allocatedBytes(segment);
  }

  @Override
  public void delete(int segment) throws IOException {
    lock.check();
    segments.delete(segment);
  }

  @Override
  public long usableBytes() throws IOException {
    return segments.usableBytes();
  }

  @Override
  public void close() throws IOException {
    segments.close();
  }
}
