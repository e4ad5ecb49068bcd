package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.cluster.PartitionLocation;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Which partitions of a cluster can't be reached, in words. */
final class UnreachablePartitions {
  private UnreachablePartitions() {}

  /** Empty if all can be reached. */
  static Optional<String> of(List<PartitionLocation> places) {
    List<PartitionLocation> away = places.stream().filter(place -> !place.isServing()).toList();
    if (away.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        "%d of %d partitions can't be reached: %s"
            .formatted(
                away.size(),
                places.size(),
                away.stream().map(UnreachablePartitions::name).collect(Collectors.joining(", "))));
  }

  private static String name(PartitionLocation place) {
    return place.node().isEmpty()
        ? "%d".formatted(place.partition())
        : "%d (node %s)".formatted(place.partition(), place.node());
  }
}
