package io.github.stablecut.examples.bench;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.stablecut.examples.bench.counter.StoreCounters;
import io.github.stablecut.file.FileTrees;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntToLongFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures a cache hit: a read of a counter in memory compared with Caffeine's {@code getIfPresent}
 * with as many entries. Rounds alternate; the median round of each is printed.
 */
@Command(name = "hits", description = "Cache hits compared with Caffeine's getIfPresent")
final class HitsBench implements Callable<Integer> {
  /** A power of two. */
  private static final int KEYS = 1 << 13;

  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,2",
      description = "numbers of threads (${DEFAULT-VALUE})")
  private List<Integer> threads = List.of();

  @Option(names = "--rounds", defaultValue = "7", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--reads",
      defaultValue = "10000000",
      description = "of each thread in a round (${DEFAULT-VALUE})")
  private int reads;

  @Mixin private Workspace workspace = new Workspace();

  private final LongAdder sum = new LongAdder();

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    try (StoreCounters store = new StoreCounters(directory, KEYS)) {
      Cache<String, Long> cache = Caffeine.newBuilder().maximumSize(2L * KEYS).build();
      String[] names = new String[KEYS];
      for (int i = 0; i < KEYS; i++) {
        store.increment(i);
        names[i] = "counter-" + i;
        cache.put(names[i], 1L);
      }
      Map<String, IntToLongFunction> targets = new LinkedHashMap<>();
      targets.put("store", store::read);
      targets.put("caffeine", i -> Optional.ofNullable(cache.getIfPresent(names[i])).orElse(0L));
      System.out.println(Machine.describe(directory));
      System.out.println("threads,target,ns_per_hit");
      for (int count : threads) {
        measure(count, targets);
      }
    } finally {
      FileTrees.delete(directory);
    }
    return sum.sum() > 0 ? 0 : 1;
  }

  private void measure(int count, Map<String, IntToLongFunction> targets)
      throws InterruptedException {
    Map<String, List<Double>> all = new LinkedHashMap<>();
    for (int i = -2; i < rounds; i++) {
      for (Map.Entry<String, IntToLongFunction> target : targets.entrySet()) {
        double nanos = nanos(count, target.getValue());
        if (i >= 0) { // the first ones warm up
          all.computeIfAbsent(target.getKey(), name -> new ArrayList<>()).add(nanos);
        }
      }
    }
    all.forEach(
        (name, some) -> {
          some.sort(Double::compare);
          System.out.printf("%d,%s,%.1f%n", count, name, some.get(some.size() / 2));
        });
  }

  /** The nanoseconds of a hit in one thread while the others do the same. */
  private double nanos(int count, IntToLongFunction target) throws InterruptedException {
    List<Thread> running = new ArrayList<>();
    long startNanos = System.nanoTime();
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(() -> sum.add(readAll(target)));
      running.add(thread);
      thread.start();
    }
    for (Thread thread : running) {
      thread.join();
    }
    return (double) (System.nanoTime() - startNanos) / reads;
  }

  private long readAll(IntToLongFunction target) {
    long total = 0;
    for (int i = 0; i < reads; i++) {
      total += target.applyAsLong(i & (KEYS - 1));
    }
    return total;
  }
}
