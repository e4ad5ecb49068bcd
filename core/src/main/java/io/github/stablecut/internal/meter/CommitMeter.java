package io.github.stablecut.internal.meter;

import io.github.stablecut.Latencies;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/** Measures commits, for the store's status and for Java Flight Recorder. Thread-safe. */
public final class CommitMeter {
  private final LatencyRecorder recorder = new LatencyRecorder();

  /** Nothing is measured yet. */
  public CommitMeter() {}

  /** A commit begins: the event for it, or null if nothing is being recorded. */
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
   * A commit is durable.
   *
   * @param event of {@link #begin}
   * @param begin when that was, in nanoseconds
   */
  public void end(@Nullable CommitEvent event, long begin) {
    recorder.record(System.nanoTime() - begin);
    if (event != null) {
      event.commit();
    }
  }

  /** What was measured so far. */
  public Latencies latencies() {
    return recorder.latencies();
  }
}
