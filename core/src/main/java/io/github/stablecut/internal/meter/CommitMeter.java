package io.github.stablecut.internal.meter;

import io.github.stablecut.Latencies;

/** Measures commits, for the store's status and for Java Flight Recorder. Thread-safe. */
public final class CommitMeter {
  private final LatencyRecorder recorder = new LatencyRecorder();

  /** Nothing is measured yet. */
  public CommitMeter() {}

  /** A commit begins. */
  public CommitTimer begin(int partitions) {
    CommitEvent event = new CommitEvent();
    event.begin();
    event.partitions = partitions;
    return new CommitTimer(event, System.nanoTime());
  }

  /** What was measured so far. */
  public Latencies latencies() {
    return recorder.latencies();
  }

  /** Of one commit. */
  public final class CommitTimer {
    private final CommitEvent event;
    private final long begin;

    private CommitTimer(CommitEvent event, long begin) {
      this.event = event;
      this.begin = begin;
    }

    /** It is durable. */
    public void end() {
      recorder.record(System.nanoTime() - begin);
      event.commit();
    }
  }
}
