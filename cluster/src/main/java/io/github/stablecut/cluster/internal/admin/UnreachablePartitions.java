package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.cluster.PartitionLocation;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Describes the unreachable partitions of a cluster as text. */
final class UnreachablePartitions {
  private UnreachablePartitions() {}

  /** The description; empty if all partitions are reachable. */
  static Optional<String> of(List<PartitionLocation> all) {
    List<PartitionLocation> unreachable =
        all.stream().filter(location -> !location.isServing()).toList();
    if (unreachable.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        "%d of %d partitions can't be reached: %s"
            .formatted(
                unreachable.size(),
                all.size(),
                unreachable.stream()
                    .map(UnreachablePartitions::name)
                    .collect(Collectors.joining(", "))));
  }

  private static String name(PartitionLocation location) {
    return location.node().isEmpty()
        ? "%d".formatted(location.partition())
        : "%d (node %s)".formatted(location.partition(), location.node());
  }
}
