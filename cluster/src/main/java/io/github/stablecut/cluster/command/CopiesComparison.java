package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the copies of partitions on several nodes hold, compared. Copies can be compared once they
 * have made the same checkpoint. Confined to one thread.
 */
final class CopiesComparison {
  /** What a copy holds. */
  private record Held(String copy, String checkpoint, long objects, String hash) {}

  private final Map<Integer, List<Held>> byPartition = new TreeMap<>();

  /** A node has told what its copies hold. */
  void add(JsonNode digests) {
    for (JsonNode one : digests) {
      byPartition
          .computeIfAbsent(one.path("partition").asInt(), number -> new ArrayList<>())
          .add(
              new Held(
                  one.path("copy").asText(),
                  one.path("checkpoint").asText(),
                  one.path("objects").asLong(),
                  one.path("hash").asText()));
    }
  }

  /** How many partitions there are. */
  int partitions() {
    return byPartition.size();
  }

  /** How many objects the copies of all partitions hold, each counted once. */
  long objects() {
    return byPartition.values().stream().mapToLong(all -> all.get(0).objects).sum();
  }

  /** The partitions of which copies have different checkpoints now, or only one has told. */
  List<Integer> notComparable() {
    List<Integer> found = new ArrayList<>();
    byPartition.forEach(
        (partition, all) -> {
          if (all.size() < 2 || all.stream().map(Held::checkpoint).distinct().count() > 1) {
            found.add(partition);
          }
        });
    return found;
  }

  /** What is different, one sentence each. */
  List<String> differences() {
    List<String> found = new ArrayList<>();
    byPartition.forEach(
        (partition, all) -> {
          for (int i = 0; i < all.size(); i++) {
            for (Held other : all.subList(i + 1, all.size())) {
              Held one = all.get(i);
              if (one.checkpoint.equals(other.checkpoint) && !one.hash.equals(other.hash)) {
                found.add(
                    "partition %d: %s with %,d objects and %s with %,d differ in the checkpoint %s"
                        .formatted(
                            partition,
                            one.copy,
                            one.objects,
                            other.copy,
                            other.objects,
                            one.checkpoint));
              }
            }
          }
        });
    return found;
  }
}
