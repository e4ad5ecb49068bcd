package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.counter.CounterTarget;
import io.github.stablecut.examples.bench.counter.RawCounters;
import io.github.stablecut.examples.bench.counter.RocksCounters;
import io.github.stablecut.examples.bench.counter.StoreCounters;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.testing.history.HistoryRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.rocksdb.RocksDBException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The report's workload (section 4.3): threads read and durably increment counters chosen
 * uniformly. The store is compared with a plain log with numbers in memory, and with RocksDB.
 * Rounds alternate between the targets; the median round of each is printed.
 */
@Command(name = "mixed", description = "Reads and durable increments of counters, 80:20")
final class MixedBench implements Callable<Integer> {
  private static final int PERCENT = 100;

  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "32,64",
      description = "numbers of threads (${DEFAULT-VALUE})")
  private List<Integer> threads = List.of();

  @Option(
      names = "--targets",
      split = ",",
      defaultValue = "store,raw,rocksdb",
      description = "what to measure (${DEFAULT-VALUE})")
  private List<String> targets = List.of();

  @Option(
      names = "--reads",
      defaultValue = "80",
      description = "percentage of reads (${DEFAULT-VALUE})")
  private int reads;

  @Option(names = "--keys", defaultValue = "1000", description = "counters (${DEFAULT-VALUE})")
  private int keys;

  @Option(names = "--rounds", defaultValue = "5", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Option(names = "--millis", defaultValue = "2000", description = "per round (${DEFAULT-VALUE})")
  private int millis;

  @Mixin private Workspace workspace = new Workspace();

  @Option(
      names = "--partitions",
      defaultValue = "1",
      description = "partitions of the store (${DEFAULT-VALUE})")
  private int partitions;

  @Mixin private Recording recording = new Recording();

  @Override
  public Integer call() throws Exception {
    Optional<HistoryRecorder> recorder = recording.begin("mixed");
    Path directory = workspace.create();
    Map<String, CounterTarget> open = new LinkedHashMap<>();
    try {
      for (String name : targets) {
        open.put(name, open(name, directory.resolve(name), recorder));
      }
      System.out.println(Machine.describe(directory));
      System.out.println("threads,target,operations_per_s");
      for (int count : threads) {
        measure(count, open);
      }
    } finally {
      open.values().forEach(CounterTarget::close);
      FileTrees.delete(directory);
    }
    return recorder.map(Recording::end).orElse(0);
  }

  private CounterTarget open(String name, Path path, Optional<HistoryRecorder> recorder)
      throws IOException, RocksDBException {
    return switch (name) {
      case "store" -> new StoreCounters(path, keys, partitions, recorder);
      case "raw" -> new RawCounters(path, keys);
      case "rocksdb" -> new RocksCounters(path);
      default -> throw new IllegalArgumentException("no target is called " + name);
    };
  }

  private void measure(int count, Map<String, CounterTarget> open) throws InterruptedException {
    Map<String, List<Double>> all = new LinkedHashMap<>();
    for (int i = 0; i <= rounds; i++) {
      for (Map.Entry<String, CounterTarget> target : open.entrySet()) {
        double rate = round(target.getValue(), count);
        if (i > 0) { // the first one warms up
          all.computeIfAbsent(target.getKey(), name -> new ArrayList<>()).add(rate);
        }
      }
    }
    all.forEach(
        (name, some) -> {
          some.sort(Double::compare);
          System.out.printf("%d,%s,%.0f%n", count, name, some.get(some.size() / 2));
        });
  }

  private double round(CounterTarget target, int count) throws InterruptedException {
    AtomicBoolean end = new AtomicBoolean();
    LongAdder operations = new LongAdder();
    List<Thread> running = new ArrayList<>();
    long startNanos = System.nanoTime();
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(() -> operations.add(operateUntil(end, target)));
      running.add(thread);
      thread.start();
    }
    Thread.sleep(millis);
    end.set(true);
    for (Thread thread : running) {
      thread.join();
    }
    return operations.sum() * 1e9 / (System.nanoTime() - startNanos);
  }

  private long operateUntil(AtomicBoolean end, CounterTarget target) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long operations = 0;
    while (!end.get()) {
      int counter = random.nextInt(keys);
      if (random.nextInt(PERCENT) >= reads) {
        target.increment(counter);
      } else if (target.read(counter) < 0) {
        throw new IllegalStateException("a counter that only grows is negative");
      }
      operations++;
    }
    return operations;
  }
}
