package io.github.stablecut.examples.bench;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import javax.management.JMException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the heap per counter: with an effect that no checkpoint has yet, with its version in the
 * cache, and with the version alone. The comparison is a number with the same id in a map and in
 * Caffeine.
 */
@Command(name = "memory", description = "Bytes of the heap per counter")
final class MemoryBench implements Callable<Integer> {
  private static final int PER_TRANSACTION = 100;
  private static final int MAX_CLASSES = 16;

  @Option(names = "--counters", defaultValue = "200000", description = "(${DEFAULT-VALUE})")
  private int counters;

  @Option(names = "--classes", description = "also the bytes of each class")
  private boolean byClass;

  @Mixin private Workspace workspace = new Workspace();

  private double ofMap;
  private double ofCaffeine;

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    StoreOptions options = StoreOptions.defaults().withCheckpoints(CheckpointPolicy.byCall());
    try (Store store = Stablecut.open(directory, options)) {
      System.out.println(Machine.describe(directory));
      System.out.println("target,bytes_per_counter,times_a_map,times_caffeine");
      measureLimits();
      increment(store, counters, 1); // begins what is there once
      read(store, counters, 1);
      HeapByClass before = HeapByClass.now();
      increment(store, 0, counters);
      print("effect", before);
      read(store, 0, counters);
      print("effect and version", before);
      store.checkpoint();
      print("version", before);
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private void measureLimits() throws JMException {
    HeapByClass before = HeapByClass.now();
    Map<Bytes, Long> map = new ConcurrentHashMap<>();
    IntStream.range(0, counters).forEach(i -> map.put(key(i).id(), 1L));
    ofMap = perCounter(HeapByClass.now().since(before));
    HeapByClass beforeCaffeine = HeapByClass.now();
    Cache<Bytes, Long> cache =
        Caffeine.newBuilder().maximumWeight(counters).weigher((id, value) -> 1).build();
    IntStream.range(0, counters).forEach(i -> cache.put(key(i).id(), 1L));
    ofCaffeine = perCounter(HeapByClass.now().since(beforeCaffeine));
    print("ConcurrentHashMap of " + map.size(), ofMap);
    print("Caffeine of " + cache.asMap().size(), ofCaffeine);
  }

  /** The key of a counter, whose id has 31 bytes. */
  private static CounterKey key(int number) {
    return Key.counter("bench", "the-counter-no-%09d".formatted(number));
  }

  private static void increment(Store store, int first, int count) {
    for (int i = 0; i < count; i += PER_TRANSACTION) {
      Update[] updates = new Update[Math.min(PER_TRANSACTION, count - i)];
      for (int j = 0; j < updates.length; j++) {
        updates[j] = key(first + i + j).increment();
      }
      store.update(updates);
    }
  }

  private static void read(Store store, int first, int count) {
    for (int i = first; i < first + count; i++) {
      if (store.read(key(i)) != 1) {
        throw new IllegalStateException("%s is not 1".formatted(key(i)));
      }
    }
  }

  private double perCounter(long bytes) {
    return (double) bytes / counters;
  }

  private void print(String target, HeapByClass before) throws JMException {
    HeapByClass now = HeapByClass.now();
    print(target, perCounter(now.since(before)));
    if (byClass) {
      now.grown(before)
          .map(grown -> "# %6.1f %s".formatted(perCounter(grown.getValue()), grown.getKey()))
          .limit(MAX_CLASSES)
          .forEach(System.out::println);
    }
  }

  private void print(String target, double bytes) {
    System.out.printf("%s,%.0f,%.2f,%.2f%n", target, bytes, bytes / ofMap, bytes / ofCaffeine);
  }
}
