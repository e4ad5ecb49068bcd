package io.github.stablecut.journal.segment;

import java.io.IOException;
import java.util.List;

/**
 * Segments that forward every call to others, as a base for decorators. As thread-safe as the
 * target.
 */
public abstract class ForwardingSegments implements SegmentStore {
  private final SegmentStore segments;

  /** Forwards to these segments. */
  public ForwardingSegments(SegmentStore segments) {
    this.segments = segments;
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
  public long room() {
    return segments.room();
  }

  @Override
  public void force(int segment) throws IOException {
    segments.force(segment);
  }

  @Override
  public void rewrite(int segment, int from, int to) throws IOException {
    segments.rewrite(segment, from, to);
  }

  @Override
  public void check(int segment) throws IOException {
    segments.check(segment);
  }

  @Override
  public SegmentView view(int segment) throws IOException {
    return segments.view(segment);
  }

  @Override
  public SegmentView sequentialView(int segment) throws IOException {
    return segments.sequentialView(segment);
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
