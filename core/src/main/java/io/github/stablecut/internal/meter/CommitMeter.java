package io.github.stablecut.internal.meter;

import io.github.stablecut.Latencies;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/** Measures commits, for the store's status and for Java Flight Recorder. Thread-safe. */
public final class CommitMeter {
  private final LatencyRecorder recorder = new LatencyRecorder();

  /** Nothing is measured yet. */
  public CommitMeter() {}

  /** A commit begins. */
  public CommitTimer begin(int partitions) {
    return new CommitTimer(
        FlightRecorder.isInitialized() ? begun(partitions) : null, System.nanoTime());
  }

  private static CommitEvent begun(int partitions) {
    CommitEvent event = new CommitEvent();
    event.begin();
    event.partitions = partitions;
    return event;
  }

  /** What was measured so far. */
  public Latencies latencies() {
    return recorder.latencies();
  }

  /** Of one commit. */
  public final class CommitTimer {
    /** Null if nothing is being recorded. */
    private final @Nullable CommitEvent event;

    private final long begin;

    private CommitTimer(@Nullable CommitEvent event, long begin) {
      this.event = event;
      this.begin = begin;
    }

    /** It is durable. */
    public void end() {
      recorder.record(System.nanoTime() - begin);
      if (event != null) {
        event.commit();
      }
    }
  }
}
