package io.github.stablecut.internal.meter;

import io.github.stablecut.Latencies;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts how long calls take. Thread-safe. */
public final class LatencyRecorder {
  private final AtomicLongArray counts = new AtomicLongArray(Latencies.BUCKETS);

  /** Nothing is counted yet. */
  public LatencyRecorder() {}

  /**
   * A call has ended.
   *
   * @param nanos how long it took
   */
  public void record(long nanos) {
    var unused = counts.getAndIncrement(Latencies.bucketOf(nanos));
  }

  /** What was counted so far. */
  public Latencies latencies() {
    long[] copy = new long[Latencies.BUCKETS];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = counts.get(i);
    }
    return Latencies.of(copy);
  }
}
