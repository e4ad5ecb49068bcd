package io.github.stablecut.examples.bench;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The report's measurement after a restart (sections 4.3.5 and 4.3.6): a journal of many records on
 * few keys is opened with empty caches. Then come random reads, second by second, with and without
 * a checkpoint, an index and a cache.
 */
@Command(name = "restart", description = "Opening a long journal, and the first seconds of reads")
final class RestartBench implements Callable<Integer> {
  private static final int AT_ONCE = 1_000;
  private static final long MAX_NANOS = 100_000_000_000L;

  /** The configuration of a store for the reads. */
  private enum Arrangement {
    CHECKPOINT_INDEX_CACHE(true, true, true),
    INDEX_CACHE(false, true, true),
    INDEX(false, true, false),
    CACHE(false, false, true),
    NOTHING(false, false, false);

    private final boolean hasCheckpoint;
    private final boolean hasIndex;
    private final boolean hasCache;

    Arrangement(boolean hasCheckpoint, boolean hasIndex, boolean hasCache) {
      this.hasCheckpoint = hasCheckpoint;
      this.hasIndex = hasIndex;
      this.hasCache = hasCache;
    }

    StoreOptions options() {
      return options(hasIndex, hasCache);
    }

    static StoreOptions options(boolean index, boolean cache) {
      return StoreOptions.defaults()
          .withCheckpoints(CheckpointPolicy.byCall())
          .withIndex(index ? IndexOptions.defaults() : IndexOptions.off())
          .withCache(cache ? StoreOptions.defaults().cache() : CacheOptions.off());
    }
  }

  @Option(names = "--records", defaultValue = "1804800", description = "(${DEFAULT-VALUE})")
  private int records;

  @Option(names = "--keys", defaultValue = "320", description = "(${DEFAULT-VALUE})")
  private int count;

  @Option(
      names = "--seconds",
      defaultValue = "5",
      description = "seconds of reads for each arrangement (${DEFAULT-VALUE})")
  private int seconds;

  @Option(names = "--plot", description = "p99 by second, as a picture: PATH.svg and PATH.png")
  private @Nullable Path plot;

  @Mixin private Workspace workspace = new Workspace();

  private List<CounterKey> keys = List.of();

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    keys = IntStream.range(0, count).mapToObj(i -> Key.counter("bench", "counter-" + i)).toList();
    try {
      System.out.println(Machine.describe(directory));
      load(directory);
      Plot plotted =
          new Plot(
                  "reads after opening %,d records of %d keys".formatted(records, count),
                  "second",
                  "p99 in microseconds")
              .withLogarithms();
      System.out.println("arrangement,open_ms,second,reads,p50_us,p99_us,max_us");
      for (int i = Arrangement.values().length - 1; i >= 0; i--) {
        Arrangement arrangement = Arrangement.values()[i];
        if (arrangement.hasCheckpoint) {
          checkpoint(directory);
        }
        plotted.add(arrangement.name(), secondsFromOne(), measure(arrangement, directory));
      }
      if (plot != null) {
        plotted.write(plot);
      }
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private void load(Path directory) {
    List<CompletionStage<?>> onTheirWay = new ArrayList<>();
    try (Store store = Stablecut.open(directory, Arrangement.options(true, false))) {
      for (int i = 0; i < records; i++) {
        onTheirWay.add(store.updateAsync(keys.get(i % count).increment()));
        if (onTheirWay.size() == AT_ONCE || i == records - 1) {
          onTheirWay.forEach(stage -> stage.toCompletableFuture().join());
          onTheirWay.clear();
        }
      }
    }
  }

  private static void checkpoint(Path directory) {
    try (Store store = Stablecut.open(directory, Arrangement.options(true, false))) {
      store.checkpoint();
    }
  }

  private List<Double> secondsFromOne() {
    return IntStream.rangeClosed(1, seconds).mapToObj(second -> (double) second).toList();
  }

  /** Reads, and returns the 99th percentile of each second in microseconds. */
  private List<Double> measure(Arrangement arrangement, Path directory) {
    List<Double> percentiles = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(1);
    long startNanos = System.nanoTime();
    try (Store store = Stablecut.open(directory, arrangement.options())) {
      double openMillis = (System.nanoTime() - startNanos) / 1e6;
      for (int second = 1; second <= seconds; second++) {
        Histogram nanos = readForASecond(store, random);
        percentiles.add(nanos.getValueAtPercentile(99) / 1e3);
        System.out.printf(
            "%s,%.0f,%d,%d,%.1f,%.1f,%.1f%n",
            arrangement,
            openMillis,
            second,
            nanos.getTotalCount(),
            nanos.getValueAtPercentile(50) / 1e3,
            nanos.getValueAtPercentile(99) / 1e3,
            nanos.getMaxValue() / 1e3);
      }
    }
    return percentiles;
  }

  private Histogram readForASecond(Store store, SplittableRandom random) {
    Histogram nanos = new Histogram(MAX_NANOS, 3);
    long nowNanos = System.nanoTime();
    long endNanos = nowNanos + 1_000_000_000L;
    while (nowNanos < endNanos) {
      long value = store.read(keys.get(random.nextInt(count)));
      if (value < records / count) {
        throw new IllegalStateException("a counter lost increments: " + value);
      }
      long laterNanos = System.nanoTime();
      nanos.recordValue(laterNanos - nowNanos);
      nowNanos = laterNanos;
    }
    return nanos;
  }
}
