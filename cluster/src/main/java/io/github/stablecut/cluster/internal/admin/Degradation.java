package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.RegisterLocation;
import io.github.stablecut.cluster.ReplicaShortage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Describes as text what a cluster lacks: partitions that can't be reached, missing replicas, and
 * members of the configuration register that do not answer. The same text is in the status, on the
 * console, at {@code /ready} and first in {@code cluster status}.
 */
final class Degradation {
  /** The maximum number of partitions or nodes that the text lists by number or name. */
  private static final int MAX_LISTED = 8;

  private Degradation() {}

  /** The description; empty if the cluster lacks nothing, as far as this node knows. */
  static Optional<String> of(ServerInfo facts) {
    List<String> lacks = new ArrayList<>();
    unreachable(facts.partitions()).ifPresent(lacks::add);
    missing(facts).ifPresent(lacks::add);
    facts.registerLocation().flatMap(Degradation::register).ifPresent(lacks::add);
    return lacks.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", lacks));
  }

  /** The number of replicas that are missing, of all partitions with a leader. */
  static int missingReplicas(ServerInfo facts) {
    return facts.shortages().stream().mapToInt(one -> missing(one, facts)).sum();
  }

  private static int missing(ReplicaShortage shortage, ServerInfo facts) {
    return Math.max(0, facts.replicationFactor() - shortage.working());
  }

  private static Optional<String> unreachable(List<PartitionLocation> all) {
    List<String> unreachable =
        all.stream().filter(one -> !one.isServing()).map(Degradation::name).toList();
    return unreachable.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%d of %d partitions can't be reached: %s"
                .formatted(unreachable.size(), all.size(), listed(unreachable)));
  }

  private static String name(PartitionLocation location) {
    return location.node().isEmpty()
        ? "%d".formatted(location.partition())
        : "%d (node %s)".formatted(location.partition(), location.node());
  }

  private static Optional<String> missing(ServerInfo facts) {
    Map<String, List<String>> partitions = new TreeMap<>();
    for (ReplicaShortage shortage : facts.shortages()) {
      if (missing(shortage, facts) > 0) {
        String partition = "%d".formatted(shortage.partition());
        for (String reason : reasons(shortage, facts)) {
          partitions.computeIfAbsent(reason, any -> new ArrayList<>()).add(partition);
        }
      }
    }
    return partitions.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%d of %d replicas %s missing: %s"
                .formatted(
                    missingReplicas(facts),
                    facts.replicationFactor() * facts.partitions().size(),
                    missingReplicas(facts) == 1 ? "is" : "are",
                    partitions.entrySet().stream()
                        .map(one -> of(one.getKey(), one.getValue()))
                        .collect(Collectors.joining(", "))));
  }

  /**
   * Returns the reason why replicas of a partition are missing; a replica without a node has no
   * other reason.
   */
  private static List<String> reasons(ReplicaShortage shortage, ServerInfo facts) {
    List<String> reasons = new ArrayList<>(shortage.reasons());
    int unplaced = missing(shortage, facts) - reasons.size();
    if (unplaced > 0) {
      reasons.add("%d without a node".formatted(unplaced));
    }
    return reasons;
  }

  private static String of(String reason, List<String> partitions) {
    String kind = partitions.size() == 1 ? "partition" : "partitions";
    return "%s (%s %s)".formatted(reason, kind, listed(partitions));
  }

  private static Optional<String> register(RegisterLocation register) {
    List<String> absent = new ArrayList<>(register.silent());
    absent.addAll(register.missing());
    if (register.leader().isEmpty()) {
      return Optional.of("the configuration register has no known leader");
    }
    return absent.isEmpty()
        ? Optional.empty()
        : Optional.of("the configuration register lacks %s".formatted(listed(absent)));
  }

  private static String listed(List<String> all) {
    String first = all.stream().limit(MAX_LISTED).collect(Collectors.joining(", "));
    int more = all.size() - MAX_LISTED;
    return more > 0 ? "%s and %d more".formatted(first, more) : first;
  }
}
