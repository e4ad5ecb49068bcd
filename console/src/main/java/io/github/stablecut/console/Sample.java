package io.github.stablecut.console;

import io.github.stablecut.Latencies;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.replication.DataCentre;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The store's state at one moment. Immutable.
 *
 * @param nanos the moment, by a monotonic clock
 * @param millis the moment, in milliseconds since 1970
 * @param doubts by transaction in doubt, the value of {@code nanos} when it was first seen
 */
record Sample(
    long nanos,
    long millis,
    String name,
    StoreStatus status,
    Map<String, Latencies> requests,
    List<ConsoleSource.Node> nodes,
    List<ConsoleSource.Partition> places,
    Optional<ConsoleSource.Cluster> cluster,
    List<ConsoleSource.ReplicaGroup> replicas,
    List<DataCentre> dataCentres,
    List<String> warnings,
    Map<String, Long> doubts) {
  /** Takes a sample. */
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
        source.cluster(),
        source.replicas(),
        source.otherDataCentres(),
        source.warnings(),
        doubts);
  }
}
