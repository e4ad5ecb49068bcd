package io.github.stablecut.console;

import io.github.stablecut.Latencies;
import io.github.stablecut.StoreStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was seen at one moment. Immutable.
 *
 * @param nanos when, by a clock that does not jump
 * @param millis when, since 1970
 * @param doubts since when which transactions are in doubt, by such nanoseconds
 */
record Sample(
    long nanos,
    long millis,
    String name,
    StoreStatus status,
    Map<String, Latencies> requests,
    List<ConsoleSource.Node> nodes,
    List<ConsoleSource.Place> places,
    List<String> warnings,
    Map<String, Long> doubts) {
  /** Looks. */
  static Sample take(ConsoleSource source, long nanos, Map<String, Long> knownDoubts) {
    StoreStatus status = source.status();
    Map<String, Long> doubts = new HashMap<>();
    status.activity().inDoubt().forEach(id -> doubts.put(id, knownDoubts.getOrDefault(id, nanos)));
    return new Sample(
        nanos,
        System.currentTimeMillis(),
        source.name(),
        status,
        source.requests(),
        source.nodes(),
        source.places(),
        source.warnings(),
        doubts);
  }
}
