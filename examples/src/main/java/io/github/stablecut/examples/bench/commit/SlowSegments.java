package io.github.stablecut.examples.bench.commit;

import io.github.stablecut.journal.segment.ForwardingSegments;
import io.github.stablecut.journal.segment.SegmentStore;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** Segments on a disk with a minimum sync time. Thread-safe, as the segments are. */
final class SlowSegments extends ForwardingSegments {
  private final long nanos;

  /**
   * @param nanos the minimum time of a sync
   */
  SlowSegments(SegmentStore segments, long nanos) {
    super(segments);
    this.nanos = nanos;
  }

  @Override
  public void force(int segment) throws IOException {
    long endNanos = System.nanoTime() + nanos;
    super.force(segment);
    for (long remainingNanos = endNanos - System.nanoTime();
        remainingNanos > 0;
        remainingNanos = endNanos - System.nanoTime()) {
      LockSupport.parkNanos(this, remainingNanos);
    }
  }
}
