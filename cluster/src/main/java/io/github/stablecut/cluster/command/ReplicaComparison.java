package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the copies of partitions on several nodes hold, compared. Copies can be compared once all
 * that vote have told of the same checkpoint, each at some time: what was told before counts on.
 * Confined to one thread.
 */
final class ReplicaComparison {
  /** What a copy holds in a checkpoint. */
  private record Held(String replica, long objects, String hash) {}

  /** What was told of a partition. */
  private static final class Told {
    /** By checkpoint, and by the name of the copy. */
    private final Map<String, Map<String, Held>> held = new TreeMap<>();

    /** The checkpoint that a copy has told of last, by its name; empty if it had none. */
    private final Map<String, String> last = new TreeMap<>();

    /** The epoch of the newest leader that has told, and the copies that vote in it. */
    private long epoch;

    private List<String> voters = List.of();

    void add(JsonNode one) {
      String replica = one.path("replica").asText();
      String checkpoint = one.path("checkpoint").asText();
      var unused = last.put(replica, checkpoint);
      if (!checkpoint.isEmpty()) {
        var unusedToo =
            held.computeIfAbsent(checkpoint, any -> new TreeMap<>())
                .put(
                    replica,
                    new Held(replica, one.path("objects").asLong(), one.path("hash").asText()));
      }
      List<String> named = new ArrayList<>();
      one.path("voters").forEach(voter -> named.add(voter.asText()));
      if (!named.isEmpty() && one.path("epoch").asLong() >= epoch) {
        epoch = one.path("epoch").asLong();
        voters = named;
      }
    }

    /** What all voters hold in a checkpoint of which all have told. */
    Optional<Map<String, Held>> common() {
      return held.values().stream()
          .filter(replicas -> !voters.isEmpty() && replicas.keySet().containsAll(voters))
          .findFirst();
    }

    boolean isWithoutCheckpoint() {
      return !voters.isEmpty()
          && voters.stream().allMatch(voter -> Objects.equals(last.get(voter), ""));
    }

    boolean isNothing() {
      return last.isEmpty();
    }

    /** Why its copies can't be compared; empty if they can be, or if none has a checkpoint. */
    Optional<String> problem() {
      if (isNothing()) {
        return Optional.of("no replica of it has told anything");
      }
      if (voters.isEmpty()) {
        return Optional.of("the replica that leads it has told nothing");
      }
      if (common().isPresent() || isWithoutCheckpoint()) {
        return Optional.empty();
      }
      TreeSet<String> silent = new TreeSet<>(voters);
      silent.removeAll(last.keySet());
      return Optional.of(
          silent.isEmpty()
              ? "the replicas %s had different checkpoints each time".formatted(voters)
              : "of the replicas %s, %s have told nothing".formatted(voters, silent));
    }
  }

  private final Map<Integer, Told> byPartition = new TreeMap<>();

  /** A cluster has so many partitions: nobody may have told anything of some. */
  void expect(int partitions) {
    for (int number = 0; number < partitions; number++) {
      var unused = byPartition.computeIfAbsent(number, any -> new Told());
    }
  }

  /** A node has told what its copies hold now. */
  void add(JsonNode digests) {
    for (JsonNode one : digests) {
      byPartition.computeIfAbsent(one.path("partition").asInt(), number -> new Told()).add(one);
    }
  }

  /** Of how many partitions something was told. */
  long partitions() {
    return byPartition.values().stream().filter(told -> !told.isNothing()).count();
  }

  /** How many partitions have copies of which all hold something that can be compared. */
  long compared() {
    return byPartition.values().stream().filter(told -> told.common().isPresent()).count();
  }

  /** How many objects the copies of all partitions hold, each counted once. */
  long objects() {
    return byPartition.values().stream()
        .flatMap(told -> told.common().stream())
        .mapToLong(replicas -> replicas.values().iterator().next().objects)
        .sum();
  }

  /** The partitions of which no copy has a checkpoint. */
  List<Integer> withoutCheckpoint() {
    List<Integer> found = new ArrayList<>();
    byPartition.forEach(
        (partition, told) -> {
          if (told.common().isEmpty() && told.isWithoutCheckpoint()) {
            found.add(partition);
          }
        });
    return found;
  }

  /** Why copies can't be compared, one sentence each. */
  List<String> notComparable() {
    List<String> found = new ArrayList<>();
    byPartition.forEach(
        (partition, told) ->
            told.problem()
                .ifPresent(why -> found.add("partition %d: %s".formatted(partition, why))));
    return found;
  }

  /** What is different, or was in a checkpoint before, one sentence each. */
  List<String> differences() {
    List<String> found = new ArrayList<>();
    byPartition.forEach(
        (partition, told) ->
            told.held.forEach(
                (checkpoint, replicas) ->
                    differences(partition, checkpoint, List.copyOf(replicas.values()), found)));
    return found;
  }

  private static void differences(
      int partition, String checkpoint, List<Held> replicas, List<String> found) {
    for (int i = 0; i < replicas.size(); i++) {
      Held one = replicas.get(i);
      for (Held other : replicas.subList(i + 1, replicas.size())) {
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
