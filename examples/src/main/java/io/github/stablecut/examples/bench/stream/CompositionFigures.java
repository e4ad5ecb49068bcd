package io.github.stablecut.examples.bench.stream;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.examples.bench.Zipf;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.collection.ComposedMap;
import io.github.stablecut.object.collection.KeyedMap;
import io.github.stablecut.object.collection.SharedMap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;

/** Figures 16 and 17: a map in one object and in many objects. */
public final class CompositionFigures {
  private static final int RECORD_BYTES = 1_000;
  private static final int PER_TRANSACTION = 1_000;
  private static final int ROUNDS = 5;
  private static final int KEYS = 10_000;
  private static final double SKEW = 0.99;

  private CompositionFigures() {}

  private static KeyedMap<Long, Bytes> map(ObjectSpace space, int buckets) {
    return buckets == 1
        ? SharedMap.open(space, "b", "map", Codec.int64(), Codec.bytes())
        : ComposedMap.open(space, "b", "map", buckets, Codec.int64(), Codec.bytes());
  }

  private static KeyedMap<Long, Bytes> in(KeyedMap<Long, Bytes> map, ObjectSpace space) {
    return map instanceof SharedMap<Long, Bytes> shared
        ? shared.in(space)
        : ((ComposedMap<Long, Bytes>) map).in(space);
  }

  /** Measures opening a map and reading one key, and the share of aborted transactions. */
  public static Figure opening(Path directory, int megabytes, long millis)
      throws InterruptedException {
    Figure figure =
        Figure.of(
            "Figure 16: a map by number of buckets; 1 is a plain map",
            "buckets",
            "ms to the first read of " + megabytes + " MB",
            "aborted of 2 writers",
            "aborted of 16 writers",
            "aborted of 16 writers by Zipf");
    for (int buckets : new int[] {1, 10, 100, 1_000}) {
      Path home = directory.resolve("" + buckets);
      fill(home, buckets, megabytes);
      List<Double> opened = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        opened.add(firstRead(home, buckets, round));
      }
      opened.sort(null);
      figure.add(
          buckets,
          opened.get(ROUNDS / 2),
          aborted(directory.resolve(buckets + "-2"), buckets, 2, false, millis),
          aborted(directory.resolve(buckets + "-16"), buckets, 16, false, millis),
          aborted(directory.resolve(buckets + "-zipf"), buckets, 16, true, millis));
    }
    return figure;
  }

  private static void fill(Path directory, int buckets, int megabytes) {
    try (Store store = Stablecut.open(directory, StreamFigures.options())) {
      ObjectSpace space = ObjectSpace.of(store);
      KeyedMap<Long, Bytes> map = map(space, buckets);
      Bytes value = Bytes.wrap(new byte[RECORD_BYTES]);
      for (int part = 0; part < megabytes; part++) {
        int first = part * PER_TRANSACTION;
        space.run(
            tx -> {
              KeyedMap<Long, Bytes> inTransaction = in(map, tx);
              for (long key = first; key < first + PER_TRANSACTION; key++) {
                inTransaction.fastPut(key, value);
              }
            });
      }
      store.checkpoint();
    }
  }

  private static double firstRead(Path directory, int buckets, int round) {
    try (Store store = Stablecut.open(directory, StreamFigures.options())) {
      long startNanos = System.nanoTime();
      Bytes found = map(ObjectSpace.of(store), buckets).get((long) round);
      double millis = (System.nanoTime() - startNanos) / 1e6;
      if (found == null) {
        throw new IllegalStateException("a read returned another value than the one written");
      }
      return millis;
    }
  }

  /** Runs transactions of two reads and a write; returns the share of aborted attempts. */
  private static double aborted(
      Path directory, int buckets, int writers, boolean isSkewed, long millis)
      throws InterruptedException {
    AtomicLong attempts = new AtomicLong();
    AtomicLong committed = new AtomicLong();
    Zipf zipf = new Zipf(KEYS, SKEW);
    BiFunction<SplittableRandom, Zipf, Long> draw =
        (random, law) -> (long) (isSkewed ? law.next(random) : random.nextInt(KEYS));
    try (Store store = Stablecut.open(directory, StreamFigures.options())) {
      ObjectSpace space = ObjectSpace.of(store);
      KeyedMap<Long, Bytes> map = map(space, buckets);
      map.put(0L, Bytes.EMPTY);
      long endNanos = System.nanoTime() + millis * 1_000_000;
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        SplittableRandom random = new SplittableRandom(i);
        Thread thread =
            new Thread(
                () -> {
                  while (System.nanoTime() < endNanos) {
                    space.run(
                        tx -> {
                          attempts.incrementAndGet();
                          Map<Long, Bytes> inTransaction = in(map, tx);
                          Bytes one = inTransaction.get(draw.apply(random, zipf));
                          Bytes other = inTransaction.get(draw.apply(random, zipf));
                          inTransaction.put(
                              draw.apply(random, zipf),
                              one == null || other == null ? Bytes.utf8("new") : one);
                        });
                    committed.incrementAndGet();
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    return 1 - (double) committed.get() / Math.max(1, attempts.get());
  }

  /** Measures clearing and counting a map, in milliseconds. */
  public static Figure clearAndSize(Path directory) {
    Figure figure =
        Figure.of(
            "Figure 17: milliseconds of clear and size by number of buckets",
            "buckets",
            "clear",
            "size");
    for (int buckets : new int[] {10, 100, 1_000, 10_000}) {
      try (Store store = Stablecut.open(directory.resolve("" + buckets), StreamFigures.options())) {
        ObjectSpace space = ObjectSpace.of(store);
        KeyedMap<Long, Bytes> map = map(space, buckets);
        double clearing = Double.MAX_VALUE;
        double sizing = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
          space.run(
              tx -> {
                for (long key = 0; key < KEYS; key++) {
                  in(map, tx).fastPut(key, Bytes.EMPTY);
                }
              });
          int before = map.size();
          long startNanos = System.nanoTime();
          map.clear();
          long clearedNanos = System.nanoTime();
          int size = map.size();
          clearing = Math.min(clearing, (clearedNanos - startNanos) / 1e6);
          sizing = Math.min(sizing, (System.nanoTime() - clearedNanos) / 1e6);
          if (before != KEYS || size != 0) {
            throw new IllegalStateException(before + " and " + size + " entries");
          }
        }
        figure.add(buckets, clearing, sizing);
      }
    }
    return figure;
  }
}
