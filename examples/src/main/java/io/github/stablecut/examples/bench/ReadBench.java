package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.counter.StoreCounters;
import io.github.stablecut.file.FileTrees;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntToLongFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures a read of an unchanged counter compared with {@link ConcurrentHashMap#get}, while the
 * journal grows.
 */
@Command(name = "read", description = "Hot reads compared with ConcurrentHashMap.get")
final class ReadBench implements Callable<Integer> {
  private static final int KEYS = 1_000;
  private static final int READS = 20_000_000;

  /** Powers of two. */
  private static final int[] HOT_KEYS = {1, 512};

  private static final int WARM_UPS = 3;

  @Option(
      names = "--steps",
      defaultValue = "3",
      description = "number of measurements (${DEFAULT-VALUE})")
  private int steps;

  @Option(
      names = "--records",
      defaultValue = "200000",
      description = "updates of other counters between two measurements (${DEFAULT-VALUE})")
  private int records;

  @Mixin private Workspace workspace = new Workspace();

  private long sum;

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    ConcurrentHashMap<String, Long> map = new ConcurrentHashMap<>();
    for (int i = 0; i < KEYS; i++) {
      map.put("counter-" + i, Long.MAX_VALUE - i);
    }
    String[] names = map.keySet().toArray(new String[0]);
    try (StoreCounters store = new StoreCounters(directory, 2 * KEYS)) {
      for (int i = 0; i < KEYS; i++) {
        store.increment(i);
      }
      System.out.println(Machine.describe(directory));
      System.out.println("journal_records,hot_keys,store_ns,map_ns,ratio");
      for (int i = -WARM_UPS; i <= steps; i++) {
        for (int hot : HOT_KEYS) {
          double ofStore = nanos(hot, store::read);
          double ofMap = nanos(hot, counter -> map.get(names[counter]));
          if (i >= 0) {
            System.out.printf(
                "%d,%d,%.1f,%.1f,%.1f%n",
                store.store().status().journal().records(), hot, ofStore, ofMap, ofStore / ofMap);
          }
        }
        if (i >= 0 && i < steps) {
          grow(store);
        }
      }
    } finally {
      FileTrees.delete(directory);
    }
    return sum == 0 ? 1 : 0;
  }

  private double nanos(int hot, IntToLongFunction read) {
    long startNanos = System.nanoTime();
    long total = 0;
    for (int i = 0; i < READS; i++) {
      total += read.applyAsLong(i & (hot - 1));
    }
    sum |= total | 1;
    return (double) (System.nanoTime() - startNanos) / READS;
  }

  private void grow(StoreCounters store) {
    CompletableFuture<?>[] commits = new CompletableFuture<?>[records];
    for (int i = 0; i < records; i++) {
      commits[i] =
          store.store().updateAsync(store.key(KEYS + i % KEYS).increment()).toCompletableFuture();
    }
    CompletableFuture.allOf(commits).join();
  }
}
