package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares the replicas of partitions on several nodes. A partition can be compared once all its
 * voters have reported the same checkpoint, at any time: earlier reports are kept. Confined to one
 * thread.
 */
final class ReplicaComparison {
  /** A replica's digest of a checkpoint. */
  private record Digest(String replica, long objects, String hash) {}

  /** The reports about a partition. */
  private static final class Reports {
    /** By checkpoint, and by the name of the replica. */
    private final Map<String, Map<String, Digest>> digests = new TreeMap<>();

    /** The last reported checkpoint of each replica, by name; an empty text if it had none. */
    private final Map<String, String> last = new TreeMap<>();

    /** The epoch of the newest leader that has reported; 0 before one has. */
    private long epoch;

    /** The voters of that epoch. */
    private List<String> voters = List.of();

    void add(JsonNode one) {
      String replica = one.path("replica").asText();
      String checkpoint = one.path("checkpoint").asText();
      last.put(replica, checkpoint);
      if (!checkpoint.isEmpty()) {
        digests
            .computeIfAbsent(checkpoint, any -> new TreeMap<>())
            .put(
                replica,
                new Digest(replica, one.path("objects").asLong(), one.path("hash").asText()));
      }
      List<String> named = new ArrayList<>();
      one.path("voters").forEach(voter -> named.add(voter.asText()));
      if (!named.isEmpty() && one.path("epoch").asLong() >= epoch) {
        epoch = one.path("epoch").asLong();
        voters = named;
      }
    }

    /** The digests of a checkpoint that all voters have reported, by the names of replicas. */
    Optional<Map<String, Digest>> common() {
      return digests.values().stream()
          .filter(replicas -> !voters.isEmpty() && replicas.keySet().containsAll(voters))
          .findFirst();
    }

    boolean isWithoutCheckpoint() {
      return !voters.isEmpty()
          && voters.stream().allMatch(voter -> Objects.equals(last.get(voter), ""));
    }

    boolean isEmpty() {
      return last.isEmpty();
    }

    /**
     * Returns the reason why the replicas can't be compared; empty if they can be, or if none has a
     * checkpoint.
     */
    Optional<String> problem() {
      if (isEmpty()) {
        return Optional.of("none of its replicas has reported");
      }
      if (voters.isEmpty()) {
        return Optional.of("its leader has not reported");
      }
      if (common().isPresent() || isWithoutCheckpoint()) {
        return Optional.empty();
      }
      TreeSet<String> silent = new TreeSet<>(voters);
      silent.removeAll(last.keySet());
      return Optional.of(
          silent.isEmpty()
              ? "the replicas %s had different checkpoints each time".formatted(voters)
              : "of the replicas %s, %s have not reported".formatted(voters, silent));
    }
  }

  private final Map<Integer, Reports> byPartition = new TreeMap<>();

  /** Sets the number of partitions, so that those without any report are noticed. */
  void expect(int partitions) {
    for (int number = 0; number < partitions; number++) {
      byPartition.putIfAbsent(number, new Reports());
    }
  }

  /** Adds the report of a node. */
  void add(JsonNode digests) {
    for (JsonNode one : digests) {
      byPartition.computeIfAbsent(one.path("partition").asInt(), number -> new Reports()).add(one);
    }
  }

  /** The number of partitions with a report. */
  long partitions() {
    return byPartition.values().stream().filter(reports -> !reports.isEmpty()).count();
  }

  /** The number of partitions whose replicas can be compared. */
  long compared() {
    return byPartition.values().stream().filter(reports -> reports.common().isPresent()).count();
  }

  /** The number of objects of all compared partitions, each counted once. */
  long objects() {
    return byPartition.values().stream()
        .flatMap(reports -> reports.common().stream())
        .mapToLong(replicas -> replicas.values().iterator().next().objects)
        .sum();
  }

  /** The partitions without a checkpoint on any voter. */
  List<Integer> withoutCheckpoint() {
    List<Integer> found = new ArrayList<>();
    byPartition.forEach(
        (partition, reports) -> {
          if (reports.common().isEmpty() && reports.isWithoutCheckpoint()) {
            found.add(partition);
          }
        });
    return found;
  }

  /** Returns the reasons why partitions can't be compared, one sentence each. */
  List<String> notComparable() {
    List<String> found = new ArrayList<>();
    byPartition.forEach(
        (partition, reports) ->
            reports
                .problem()
                .ifPresent(why -> found.add("partition %d: %s".formatted(partition, why))));
    return found;
  }

  /** The differences in any reported checkpoint, one sentence each. */
  List<String> differences() {
    List<String> found = new ArrayList<>();
    byPartition.forEach(
        (partition, reports) ->
            reports.digests.forEach(
                (checkpoint, replicas) ->
                    differences(partition, checkpoint, List.copyOf(replicas.values()), found)));
    return found;
  }

  private static void differences(
      int partition, String checkpoint, List<Digest> replicas, List<String> found) {
    for (int i = 0; i < replicas.size(); i++) {
      Digest one = replicas.get(i);
      for (Digest other : replicas.subList(i + 1, replicas.size())) {
        if (!one.hash.equals(other.hash)) {
          found.add(
              "partition %d: %s with %,d objects and %s with %,d differ in the checkpoint %s"
                  .formatted(
                      partition,
                      one.replica,
                      one.objects,
                      other.replica,
                      other.objects,
                      checkpoint));
        }
      }
    }
  }
}
