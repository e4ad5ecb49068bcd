package io.github.stablecut.examples.trace;

import java.lang.ref.Reference;
import java.util.Optional;

/**
 * The result of a replay. Immutable.
 *
 * @param fault the deviation from the expected text
 * @param edits the number of edits
 * @param seconds the duration of the edits
 * @param liveHeapBytes the approximate memory of the texts; at least 0
 * @param encodedBytes the size of a stored text
 */
record Outcome(
    Optional<String> fault, int edits, double seconds, long liveHeapBytes, long encodedBytes) {
  /**
   * Replaces a negative heap size by 0: other objects may have been freed during a small replay.
   */
  Outcome {
    liveHeapBytes = Math.max(0, liveHeapBytes);
  }

  /** Replays a trace on replicas in memory, one per author. */
  static Outcome inMemory(Trace trace) {
    Replay replay = Replay.inMemory(trace);
    Optional<String> fault = replay.fault();
    double seconds = replay.seconds();
    long encodedBytes = replay.documents().get(0).encodedBytes();
    long usedBytes;
    try {
      usedBytes = LiveHeap.usedBytes();
    } finally {
      Reference.reachabilityFence(replay);
    }
    replay = null;
    long liveHeapBytes = usedBytes - LiveHeap.usedBytes();
    return new Outcome(fault, trace.edits(), seconds, liveHeapBytes, encodedBytes);
  }
}
