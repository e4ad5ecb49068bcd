package io.github.stablecut.examples.bench;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.examples.bench.object.SampleObjects;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CacheOptions.Capacity;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Compares Caffeine's policy, the report's literal levels, and no cache: the hit ratio and the cost
 * of a read, when there are many more objects than the cache holds. Objects are chosen by Zipf's
 * law; some reads belong to a walk over all objects, which a good policy does not admit.
 */
@Command(name = "caches", description = "Hit ratios of the cache's policies")
final class CachesBench implements Callable<Integer> {
  private static final int PERCENT = 100;
  private static final int LEVELS = 5;
  private static final int PER_TRANSACTION = 500;

  @Option(names = "--objects", defaultValue = "100000", description = "(${DEFAULT-VALUE})")
  private int count;

  @Option(names = "--cached", defaultValue = "5000", description = "(${DEFAULT-VALUE})")
  private int cached;

  @Option(names = "--reads", defaultValue = "1000000", description = "(${DEFAULT-VALUE})")
  private int reads;

  @Option(
      names = "--walks",
      defaultValue = "10",
      description = "percentage of reads that belong to a walk (${DEFAULT-VALUE})")
  private int walks;

  @Option(names = "--skew", defaultValue = "0.99", description = "of Zipf's law (${DEFAULT-VALUE})")
  private double skew;

  @Mixin private Workspace workspace = new Workspace();

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    SampleObjects objects = new SampleObjects(count, PERCENT);
    try {
      System.out.println(Machine.describe(directory));
      load(directory, objects);
      Capacity[] levels = new Capacity[LEVELS];
      Arrays.fill(levels, Capacity.objects(Math.max(1, cached / LEVELS)));
      Map<String, CacheOptions> caches = new LinkedHashMap<>();
      caches.put("adaptive", CacheOptions.objects(cached));
      caches.put("levels", CacheOptions.levels(levels));
      caches.put("off", CacheOptions.off());
      List<RegisterKey<Bytes>> keys = IntStream.range(0, count).mapToObj(objects::key).toList();
      System.out.println("cache,hit_ratio,us_per_read");
      for (Map.Entry<String, CacheOptions> cache : caches.entrySet()) {
        measure(cache.getKey(), options(cache.getValue()), directory, keys);
      }
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private static StoreOptions options(CacheOptions cache) {
    return StoreOptions.defaults().withCheckpoints(CheckpointPolicy.byCall()).withCache(cache);
  }

  private void load(Path directory, SampleObjects objects) {
    try (Store store = Stablecut.open(directory, options(CacheOptions.off()))) {
      for (int i = 0; i < count; i += PER_TRANSACTION) {
        Update[] updates = new Update[Math.min(PER_TRANSACTION, count - i)];
        for (int j = 0; j < updates.length; j++) {
          updates[j] = objects.key(i + j).assign(objects.value(i + j));
        }
        store.update(updates);
      }
      store.checkpoint();
    }
  }

  private void measure(
      String name, StoreOptions options, Path directory, List<RegisterKey<Bytes>> keys) {
    SplittableRandom random = new SplittableRandom(1);
    Zipf law = new Zipf(count, skew);
    try (Store store = Stablecut.open(directory, options)) {
      read(store, keys, random, law); // fills the cache, and warms up
      long missesBefore = store.status().memory().misses();
      long startNanos = System.nanoTime();
      read(store, keys, random, law);
      double micros = (System.nanoTime() - startNanos) / 1e3 / reads;
      long misses = store.status().memory().misses() - missesBefore;
      double ratio = options.cache() instanceof CacheOptions.Off ? 0 : 1 - (double) misses / reads;
      System.out.printf("%s,%.3f,%.2f%n", name, ratio, micros);
    }
  }

  private void read(Store store, List<RegisterKey<Bytes>> keys, SplittableRandom random, Zipf law) {
    int walked = 0;
    for (int i = 0; i < reads; i++) {
      int number = random.nextInt(PERCENT) < walks ? walked++ % count : law.next(random);
      RegisterKey<Bytes> key = keys.get(number);
      if (store.read(key).isEmpty()) {
        throw new IllegalStateException("missing " + key);
      }
    }
  }
}
