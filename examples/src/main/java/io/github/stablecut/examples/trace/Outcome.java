package io.github.stablecut.examples.trace;

import java.lang.ref.Reference;
import java.util.Optional;

/**
 * What there is to say of a replay. Immutable.
 *
 * @param fault what is not as it should be
 * @param edits how many there were
 * @param seconds how long they took
 * @param liveHeapBytes what the texts held in memory, about; 0 at least
 * @param encodedBytes what a text takes when it is stored
 */
record Outcome(
    Optional<String> fault, int edits, double seconds, long liveHeapBytes, long encodedBytes) {
  /** Of what is small less may be found than nothing: other objects have gone meanwhile. */
  Outcome {
    liveHeapBytes = Math.max(0, liveHeapBytes);
  }

  /** Replays a trace on replicas in memory, one for each author. */
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
