package io.github.stablecut.internal.meter;

import io.github.stablecut.Latencies;
import java.util.concurrent.atomic.AtomicLongArray;

/** Records the latencies of calls in a histogram. Thread-safe. */
public final class LatencyRecorder {
  private final AtomicLongArray counts = new AtomicLongArray(Latencies.BUCKETS);

  /** Creates an empty recorder. */
  public LatencyRecorder() {}

  /**
   * Records a call.
   *
   * @param nanos the call's duration
   */
  public void record(long nanos) {
    counts.getAndIncrement(Latencies.bucketOf(nanos));
  }

  /** The latencies recorded so far. */
  public Latencies latencies() {
    long[] copy = new long[Latencies.BUCKETS];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = counts.get(i);
    }
    return Latencies.of(copy);
  }
}
