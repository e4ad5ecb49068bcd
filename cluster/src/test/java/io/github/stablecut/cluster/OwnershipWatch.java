package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.testing.history.HistoryRecorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/**
 * Polls all nodes for the owners of partitions and their epochs, and records them in the history.
 * An epoch of a partition belongs to one node forever, and no node reports an older epoch after a
 * newer one. Thread-safe.
 */
final class OwnershipWatch implements AutoCloseable {
  private static final int PAUSE_MILLIS = 100;

  /** The owner of a partition, as reported by a node. */
  private record Claim(int partition, String owner, long epoch) {}

  private final TestCluster cluster;
  private final HistoryRecorder recorder;
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();

  /** The owners, by partition and epoch. */
  private final Map<String, String> owners = new ConcurrentHashMap<>();

  private final List<Thread> threads;
  private volatile boolean isOver;

  OwnershipWatch(TestCluster cluster, HistoryRecorder recorder) {
    this.cluster = cluster;
    this.recorder = recorder;
    this.threads =
        IntStream.range(0, cluster.size())
            .mapToObj(node -> new Thread(() -> watch(node), "watch-" + node))
            .toList();
    threads.forEach(Thread::start);
  }

  private void watch(int node) {
    NodeProcess process = cluster.node(node);
    Map<Integer, Long> newest = new HashMap<>();
    try {
      while (!isOver) {
        Thread.sleep(PAUSE_MILLIS);
        if (cluster.node(node) != process) {
          // It was restarted and knows only its own directory.
          process = cluster.node(node);
          newest.clear();
        }
        try {
          for (JsonNode partition : cluster.report(node).path("partitions")) {
            Claim claim =
                new Claim(
                    partition.path("partition").asInt(),
                    partition.path("node").asText(),
                    partition.path("epoch").asLong());
            if (!claim.owner.isEmpty()) {
              record("n" + node, claim, newest);
            }
          }
        } catch (IOException e) {
          // It is unreachable.
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void record(String from, Claim claim, Map<Integer, Long> newest) {
    String which = "partition %d at epoch %d".formatted(claim.partition, claim.epoch);
    String known = owners.putIfAbsent(which, claim.owner);
    if (known == null) {
      recorder.note("%s is on %s, says %s".formatted(which, claim.owner, from));
    } else if (!known.equals(claim.owner)) {
      violations.add("%s is on %s and on %s".formatted(which, known, claim.owner));
    }
    Long before = newest.put(claim.partition, claim.epoch);
    if (before != null && before > claim.epoch) {
      violations.add("%s, says %s after epoch %d".formatted(which, from, before));
    }
  }

  /** Ends polling, and checks the reports and that each partition is in one node's directory. */
  void check() throws Exception {
    close();
    assertThat(violations).isEmpty();
    assertThat(owners).isNotEmpty();
    List<String> now = cluster.owners(0);
    for (int partition = 0; partition < now.size(); partition++) {
      int number = partition;
      Eventually.holds(
          "partition %d is in the directory of %s only".formatted(number, now.get(number)),
          () -> directories(number).equals(List.of(now.get(number))));
    }
  }

  /** The nodes that have a directory of a partition. */
  private List<String> directories(int partition) {
    return IntStream.range(0, cluster.size())
        .mapToObj(cluster::options)
        .filter(node -> isThere(node.data().resolve("p" + partition)))
        .map(NodeProcess.Options::name)
        .toList();
  }

  private static boolean isThere(Path directory) {
    return Files.exists(directory.resolve("PARTITION"));
  }

  @Override
  public void close() {
    isOver = true;
    Joining.all(threads);
  }
}
