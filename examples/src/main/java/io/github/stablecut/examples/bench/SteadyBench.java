package io.github.stablecut.examples.bench;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the cost of checkpoints under a load of reads and durable increments, 80:20: throughput
 * and latencies with repeated checkpoints and without. Rounds alternate between the two.
 */
@Command(name = "steady", description = "An 80:20 load with checkpoints and without")
final class SteadyBench implements Callable<Integer> {
  private static final int PERCENT = 100;
  private static final int READS = 80;
  private static final long MAX_NANOS = 10_000_000_000L;

  @Option(names = "--threads", defaultValue = "32", description = "(${DEFAULT-VALUE})")
  private int threads;

  @Option(names = "--keys", defaultValue = "100000", description = "counters (${DEFAULT-VALUE})")
  private int count;

  @Option(names = "--rounds", defaultValue = "5", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "8", description = "per round (${DEFAULT-VALUE})")
  private int seconds;

  @Option(
      names = "--checkpoint-mib",
      defaultValue = "16",
      description = "MiB of journal between two checkpoints (${DEFAULT-VALUE})")
  private int mebibytes;

  @Option(names = "--plot", description = "the latencies as a picture: PATH.svg and PATH.png")
  private @Nullable Path plot;

  @Mixin private Workspace workspace = new Workspace();

  private List<CounterKey> keys = List.of();

  /** A store and its measurements. */
  private static final class Arrangement {
    private final String name;
    private final Store store;
    private final List<Double> rates = new ArrayList<>();
    private Latencies latencies = new Latencies();

    Arrangement(String name, Store store) {
      this.name = name;
      this.store = store;
    }

    double median() {
      return rates.stream().sorted().toList().get(rates.size() / 2);
    }

    void forget() {
      rates.clear();
      latencies = new Latencies();
    }
  }

  /** Latencies in nanoseconds. */
  private static final class Latencies {
    private final Histogram reads = new Histogram(MAX_NANOS, 3);
    private final Histogram updates = new Histogram(MAX_NANOS, 3);

    long count() {
      return reads.getTotalCount() + updates.getTotalCount();
    }

    void add(Latencies other) {
      reads.add(other.reads);
      updates.add(other.updates);
    }
  }

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    keys = IntStream.range(0, count).mapToObj(i -> Key.counter("bench", "counter-" + i)).toList();
    CheckpointPolicy often =
        CheckpointPolicy.defaults()
            .withJournalBytes((long) mebibytes << 20)
            .withRetention(Duration.ofSeconds(1));
    try (Store with = open(directory.resolve("with"), often);
        Store without = open(directory.resolve("without"), CheckpointPolicy.byCall())) {
      System.out.println(Machine.describe(directory));
      measure(new Arrangement("with", with), new Arrangement("without", without));
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private static Store open(Path directory, CheckpointPolicy policy) {
    return Stablecut.open(directory, StoreOptions.defaults().withCheckpoints(policy));
  }

  private void measure(Arrangement with, Arrangement without)
      throws InterruptedException, ExecutionException, IOException {
    List<Arrangement> all = List.of(with, without);
    for (int round = 0; round <= rounds; round++) {
      for (Arrangement arrangement : all) {
        run(arrangement);
      }
      if (round == 0) { // it has warmed up
        all.forEach(Arrangement::forget);
      }
    }
    System.out.println(
        "checkpoints,operations_per_s,truncated_segments,kind,p50_us,p99_us,p999_us,p9999_us,max_us");
    Plot plotted = Plot.ofLatencies(threads + " threads, " + count + " counters, 80:20");
    for (Arrangement one : all) {
      print(one, "reads", one.latencies.reads);
      print(one, "updates", one.latencies.updates);
      plotted.add("reads, " + one.name + " checkpoints", one.latencies.reads);
      plotted.add("updates, " + one.name + " checkpoints", one.latencies.updates);
    }
    System.out.printf(
        "# throughput with checkpoints is %.2f of that without%n",
        with.median() / without.median());
    if (plot != null) {
      plotted.write(plot);
    }
  }

  private static void print(Arrangement one, String kind, Histogram nanos) {
    System.out.printf(
        "%s,%.0f,%d,%s,%.1f,%.1f,%.1f,%.1f,%.1f%n",
        one.name,
        one.median(),
        one.store.status().journal().firstSegment() - 1,
        kind,
        nanos.getValueAtPercentile(50) / 1e3,
        nanos.getValueAtPercentile(99) / 1e3,
        nanos.getValueAtPercentile(99.9) / 1e3,
        nanos.getValueAtPercentile(99.99) / 1e3,
        nanos.getMaxValue() / 1e3);
  }

  private void run(Arrangement into) throws InterruptedException, ExecutionException {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    long startNanos = System.nanoTime();
    long endNanos = startNanos + seconds * 1_000_000_000L;
    List<Future<Latencies>> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      running.add(executor.submit(() -> operateUntil(endNanos, into.store)));
    }
    long operations = 0;
    for (Future<Latencies> one : running) {
      operations += one.get().count();
      into.latencies.add(one.get());
    }
    executor.shutdown();
    into.rates.add(operations * 1e9 / (System.nanoTime() - startNanos));
  }

  private Latencies operateUntil(long endNanos, Store store) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    Latencies latencies = new Latencies();
    long nowNanos = System.nanoTime();
    while (nowNanos < endNanos) {
      CounterKey key = keys.get(random.nextInt(count));
      boolean isRead = random.nextInt(PERCENT) < READS;
      if (isRead) {
        if (store.read(key) < 0) {
          throw new IllegalStateException(
              "%s is below zero, but was never decremented".formatted(key));
        }
      } else {
        store.update(key.increment());
      }
      long laterNanos = System.nanoTime();
      (isRead ? latencies.reads : latencies.updates)
          .recordValue(Math.min(laterNanos - nowNanos, MAX_NANOS));
      nowNanos = laterNanos;
    }
    return latencies;
  }
}
