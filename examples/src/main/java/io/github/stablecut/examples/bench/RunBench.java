package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.object.ObjectTarget;
import io.github.stablecut.examples.bench.object.PageCache;
import io.github.stablecut.examples.bench.object.RocksObjects;
import io.github.stablecut.examples.bench.object.RunObjects;
import io.github.stablecut.examples.bench.object.SampleObjects;
import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures writing, opening, searching and scanning a run, compared with RocksDB. Rounds alternate
 * between the two; the median is printed. Cold means that the kernel's page cache was emptied,
 * which needs root, and the file opened afterwards.
 */
@Command(name = "runs", description = "Millions of objects in a run: write, open, find, scan")
final class RunBench implements Callable<Integer> {
  private static final int COLD_FINDS = 100;

  @Option(names = "--objects", defaultValue = "10000000", description = "(${DEFAULT-VALUE})")
  private long count;

  @Option(names = "--bytes", defaultValue = "100", description = "per object (${DEFAULT-VALUE})")
  private int bytes;

  @Option(names = "--finds", defaultValue = "1000000", description = "per round (${DEFAULT-VALUE})")
  private int finds;

  @Option(names = "--rounds", defaultValue = "3", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--targets",
      split = ",",
      defaultValue = "run,rocksdb",
      description = "what to measure (${DEFAULT-VALUE})")
  private List<String> targets = List.of();

  @Mixin private Workspace workspace = new Workspace();

  private final Map<String, List<Double>> figures = new LinkedHashMap<>();
  private final SplittableRandom random = new SplittableRandom(1);

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    SampleObjects objects = new SampleObjects(count, bytes);
    Map<String, ObjectTarget> all = new LinkedHashMap<>();
    try {
      System.out.println(Machine.describe(directory));
      for (String name : targets) {
        ObjectTarget target = target(name, directory.resolve(name));
        all.put(name, target);
        add(name, "write_s", seconds(() -> target.load(objects)));
      }
      for (int round = 0; round < rounds; round++) {
        for (Map.Entry<String, ObjectTarget> target : all.entrySet()) {
          measure(target.getKey(), target.getValue(), objects);
        }
      }
      print();
    } finally {
      all.values().forEach(ObjectTarget::close);
      FileTrees.delete(directory);
    }
    return 0;
  }

  private static ObjectTarget target(String name, Path directory) {
    return switch (name) {
      case "run" -> new RunObjects(directory);
      case "rocksdb" -> new RocksObjects(directory);
      default -> throw new IllegalArgumentException("no target is called " + name);
    };
  }

  private void measure(String name, ObjectTarget target, SampleObjects objects) throws Exception {
    if (PageCache.canDrop()) {
      PageCache.drop();
      add(name, "open_cold_ms", seconds(target::open) * 1e3);
      addFinds(name, "cold", target, objects, COLD_FINDS);
      reopenCold(target);
      add(name, "scan_cold_per_s", count / seconds(() -> scan(target)));
      target.close();
    }
    add(name, "open_warm_ms", seconds(target::open) * 1e3);
    add(name, "heap_mib", usedHeapMib());
    add(name, "scan_warm_per_s", count / seconds(() -> scan(target)));
    addFinds(name, "warm", target, objects, finds);
    target.close();
  }

  private static void reopenCold(ObjectTarget target) throws Exception {
    target.close();
    PageCache.drop();
    target.open();
  }

  private void addFinds(
      String name, String how, ObjectTarget target, SampleObjects objects, int number)
      throws Exception {
    Histogram nanos = new Histogram(3);
    for (int i = 0; i < number; i++) {
      byte[] id = objects.anyId(random);
      long startNanos = System.nanoTime();
      int length = target.find(id);
      nanos.recordValue(System.nanoTime() - startNanos);
      if (length != bytes) {
        throw new IllegalStateException("found " + length + " bytes");
      }
    }
    add(name, "find_" + how + "_mean_us", nanos.getMean() / 1e3);
    add(name, "find_" + how + "_p50_us", nanos.getValueAtPercentile(50) / 1e3);
    add(name, "find_" + how + "_p99_us", nanos.getValueAtPercentile(99) / 1e3);
  }

  private void scan(ObjectTarget target) throws Exception {
    long scanned = target.scan();
    if (scanned != count) {
      throw new IllegalStateException("scanned " + scanned + " objects");
    }
  }

  /** The used heap after a garbage collection. */
  private static double usedHeapMib() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) / (double) (1 << 20);
  }

  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  private static double seconds(Work work) throws Exception {
    long startNanos = System.nanoTime();
    work.run();
    return (System.nanoTime() - startNanos) / 1e9;
  }

  private void add(String target, String figure, double value) {
    figures.computeIfAbsent(figure + "," + target, key -> new ArrayList<>()).add(value);
  }

  private void print() throws IOException {
    System.out.printf("# %d objects of %d bytes, median of %d rounds%n", count, bytes, rounds);
    System.out.println("figure,target,median");
    figures.forEach(
        (key, values) -> {
          values.sort(null);
          System.out.printf("%s,%.2f%n", key, values.get(values.size() / 2));
        });
  }
}
