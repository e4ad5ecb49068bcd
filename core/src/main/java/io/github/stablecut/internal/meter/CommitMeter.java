package io.github.stablecut.internal.meter;

import io.github.stablecut.Latencies;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Measures the latency of commits, for the store's status and Java Flight Recorder. Thread-safe.
 */
public final class CommitMeter {
  private final LatencyRecorder recorder = new LatencyRecorder();

  /** Creates a meter without measurements. */
  public CommitMeter() {}

  /** Returns the event for a commit that begins, or null if Flight Recorder is not in use. */
  public static @Nullable CommitEvent begin(int partitions) {
    return FlightRecorder.isInitialized() ? begun(partitions) : null;
  }

  private static CommitEvent begun(int partitions) {
    CommitEvent event = new CommitEvent();
    event.begin();
    event.partitions = partitions;
    return event;
  }

  /**
   * Records that a commit is durable.
   *
   * @param event the result of {@link #begin}
   * @param beginNanos when the commit began, by {@link System#nanoTime}
   */
  public void end(@Nullable CommitEvent event, long beginNanos) {
    recorder.record(System.nanoTime() - beginNanos);
    if (event != null) {
      event.commit();
    }
  }

  /** The latencies measured so far. */
  public Latencies latencies() {
    return recorder.latencies();
  }
}
