package io.github.stablecut.examples.bench;

import io.github.stablecut.journal.SegmentStore;
import io.github.stablecut.journal.SegmentView;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Segments on a disk whose syncs take at least some time. Thread-safe, as the segments are. */
final class SlowSegments implements SegmentStore {
  private final SegmentStore segments;
  private final long nanos;

  /**
   * @param nanos that a sync takes at least
   */
  SlowSegments(SegmentStore segments, long nanos) {
    this.segments = segments;
    this.nanos = nanos;
  }

  @Override
  public void force(int segment) throws IOException {
    long end = System.nanoTime() + nanos;
    segments.force(segment);
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(this, left);
    }
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
    segments.markSynced(sequence);
  }

  @Override
  public String nameOf(int segment) {
    return segments.nameOf(segment);
  }

  @Override
  public long create(int segment, byte[] chunk, int length) throws IOException {
    return segments.create(segment, chunk, length);
  }

  @Override
  public long append(byte[] chunk, int length) throws IOException {
    return segments.append(chunk, length);
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
