package io.github.stablecut.examples.bench;

import io.github.stablecut.Store;
import io.github.stablecut.examples.bench.replica.ReplicasNodes;
import io.github.stablecut.examples.bench.replica.ReplicasPeer.Work;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the cost of three replicas of a partition compared with one: a single server, and three
 * nodes, each in its own process on this machine, with clients of the leader's node. The processes
 * share a disk and the processors, so only ratios mean something. Rounds alternate; medians are
 * printed.
 */
@Command(name = "replicas", description = "Commits with three replicas compared with one")
final class ReplicasBench implements Callable<Integer> {
  @Option(names = "--rounds", defaultValue = "5", description = "${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "4",
      description = "seconds of each part of a round (${DEFAULT-VALUE})")
  private int seconds;

  @Option(names = "--threads", defaultValue = "32", description = "clients (${DEFAULT-VALUE})")
  private int threads;

  @Mixin private Workspace workspace = new Workspace();

  private static CounterKey counter(int number) {
    return Key.counter("bench", "k" + number);
  }

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    Map<String, Map<Integer, List<Double>>> figures = new TreeMap<>();
    try (ReplicasNodes one = ReplicasNodes.start(directory, 1);
        ReplicasNodes three = ReplicasNodes.start(directory, 3)) {
      System.out.println(Machine.describe(directory));
      for (int round = -1; round < rounds; round++) { // the first one warms up
        for (ReplicasNodes nodes : List.of(one, three)) {
          Map<String, Double> found = new TreeMap<>(alone(nodes));
          found.putAll(together(nodes));
          if (round >= 0) {
            found.forEach(
                (what, value) ->
                    figures
                        .computeIfAbsent(what, name -> new TreeMap<>())
                        .computeIfAbsent(nodes.replicas(), number -> new ArrayList<>())
                        .add(value));
          }
        }
      }
    } finally {
      FileTrees.delete(directory);
    }
    print(figures);
    return 0;
  }

  private static void print(Map<String, Map<Integer, List<Double>>> figures) {
    System.out.println("what,1 replica,3 replicas,ratio");
    figures.forEach(
        (what, found) -> {
          double one = Medians.of(found.getOrDefault(1, new ArrayList<>()));
          double three = Medians.of(found.getOrDefault(3, new ArrayList<>()));
          System.out.println(
              Double.isNaN(one)
                  ? "%s,,%.2f,".formatted(what, three)
                  : "%s,%.2f,%.2f,%.2f".formatted(what, one, three, three / one));
        });
  }

  /** Measures one writer that waits for each commit. */
  private Map<String, Double> alone(ReplicasNodes nodes) {
    List<Double> micros = new ArrayList<>();
    long endNanos = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
    while (System.nanoTime() - endNanos < 0) {
      long startNanos = System.nanoTime();
      nodes.client().update(counter(0).increment(1));
      micros.add((System.nanoTime() - startNanos) / 1e3);
    }
    return Map.of("one writer: microseconds of a commit, median", Medians.of(micros));
  }

  /** Measures many concurrent writers. */
  private Map<String, Double> together(ReplicasNodes nodes) throws Exception {
    List<Work> before = nodes.work();
    long startNanos = System.nanoTime();
    long endNanos = startNanos + Duration.ofSeconds(seconds).toNanos();
    ExecutorService writers = Executors.newFixedThreadPool(threads);
    List<Future<Long>> counts = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      CounterKey own = counter(i);
      counts.add(writers.submit(() -> write(nodes.client(), own, endNanos)));
    }
    long commits = 0;
    for (Future<Long> count : counts) {
      commits += count.get();
    }
    double took = (System.nanoTime() - startNanos) / 1e9;
    writers.shutdown();
    List<Work> after = nodes.work();
    Work leader = after.get(0).since(before.get(0));
    Map<String, Double> found = new TreeMap<>();
    found.put("writers: commits per second", commits / took);
    found.put("writers: syncs of the leader per commit", (double) leader.syncs() / commits);
    found.put("writers: processor microseconds of the leader per commit", micros(leader, commits));
    for (int i = 1; i < after.size(); i++) {
      Work follower = after.get(i).since(before.get(i));
      found.put(
          "writers: follower %d's processor time compared with the leader's".formatted(i),
          micros(follower, commits) / micros(leader, commits));
    }
    return found;
  }

  private static double micros(Work work, long commits) {
    return work.processor().toNanos() / 1e3 / commits;
  }

  private static long write(Store client, CounterKey own, long endNanos) {
    long commits = 0;
    while (System.nanoTime() - endNanos < 0) {
      client.update(own.increment(1));
      commits++;
    }
    return commits;
  }
}
