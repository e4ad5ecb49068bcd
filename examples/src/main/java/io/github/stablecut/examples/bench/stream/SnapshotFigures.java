package io.github.stablecut.examples.bench.stream;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.collection.ComposedMap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Figures 13 and 14: read-only transactions. */
public final class SnapshotFigures {
  private static final int RECORDS = 10_000;
  private static final int RECORD_BYTES = 100;
  private static final int BUCKETS = 1_024;
  private static final int SNAPSHOTS = 100;
  private static final int READS = 3;
  private static final int ENTRIES = 10;
  private static final long PERIOD_NANOS = 1_000_000_000L / 500;
  private static final int READS_PER_SECOND = 10;

  private SnapshotFigures() {}

  private static ComposedMap<Long, Bytes> map(Store store) {
    return ComposedMap.open(
        ObjectSpace.of(store), "b", "map", BUCKETS, Codec.int64(), Codec.bytes());
  }

  private static Bytes value() {
    return Bytes.wrap(new byte[RECORD_BYTES]);
  }

  @CanIgnoreReturnValue
  private static List<CausalToken> fill(Store store) {
    ComposedMap<Long, Bytes> map = map(store);
    List<CausalToken> tokens = new ArrayList<>();
    for (int part = 0; part < SNAPSHOTS; part++) {
      int first = part * (RECORDS / SNAPSHOTS);
      ObjectSpace.of(store)
          .run(
              tx -> {
                for (long key = first; key < first + RECORDS / SNAPSHOTS; key++) {
                  map.in(tx).fastPut(key, value());
                }
              });
      tokens.add(store.snapshot().token());
    }
    return tokens;
  }

  /** The transactions per second of a number of threads together. */
  private static double rate(int threads, long millis, Consumer<SplittableRandom> transaction)
      throws InterruptedException {
    AtomicLong done = new AtomicLong();
    AtomicBoolean isEnded = new AtomicBoolean();
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      SplittableRandom random = new SplittableRandom(i);
      Thread thread =
          new Thread(
              () -> {
                while (!isEnded.get()) {
                  transaction.accept(random);
                  done.incrementAndGet();
                }
              });
      all.add(thread);
      thread.start();
    }
    long startNanos = System.nanoTime();
    Thread.sleep(millis);
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    double rate = done.get() / seconds;
    isEnded.set(true);
    for (Thread thread : all) {
      thread.join();
    }
    return rate;
  }

  /** Measures transactions of three reads at random past snapshots. */
  public static Figure readOnlyTransactions(Path directory, long millis)
      throws InterruptedException {
    Figure figure =
        Figure.of(
            "Figure 13: snapshot transactions per second by number of clients",
            "clients",
            "at random snapshots",
            "at the newest");
    try (Store store = Stablecut.open(directory, StreamFigures.options())) {
      List<CausalToken> tokens = fill(store);
      ComposedMap<Long, Bytes> map = map(store);
      for (int clients = 1; clients <= 64; clients *= 2) {
        double past =
            rate(
                clients,
                millis,
                random ->
                    read(
                        map.in(ObjectSpace.of(store.at(tokens.get(random.nextInt(tokens.size()))))),
                        random,
                        READS));
        double newest =
            rate(
                clients,
                millis,
                random -> read(map.in(ObjectSpace.of(store.snapshot())), random, READS));
        figure.add(clients, past, newest);
      }
    }
    return figure;
  }

  private static void read(ComposedMap<Long, Bytes> map, SplittableRandom random, int reads) {
    for (int i = 0; i < reads; i++) {
      Bytes found = map.get((long) random.nextInt(RECORDS));
      if (found != null && found.length() != RECORD_BYTES) {
        throw new IllegalStateException("a read returned another value than the one written");
      }
    }
  }

  /**
   * Measures a writer of ten entries at a fixed rate, concurrently with readers of ten entries at
   * fixed rates.
   */
  public static Figure writerBesideReaders(Path directory, long millis)
      throws InterruptedException {
    Figure figure =
        Figure.of(
            "Figure 14: a writer's transactions per second by number of readers",
            "readers",
            "writer",
            "readers together",
            "aborts of readers",
            "aborts of the writer");
    try (Store store = Stablecut.open(directory, StreamFigures.options())) {
      fill(store);
      ComposedMap<Long, Bytes> map = map(store);
      for (int readers : new int[] {0, 1, 10, 50, 100, 200}) {
        AtomicLong aborts = new AtomicLong();
        AtomicLong attempts = new AtomicLong();
        AtomicLong written = new AtomicLong();
        AtomicBoolean isEnded = new AtomicBoolean();
        long startNanos = System.nanoTime();
        Thread writer = new Thread(() -> write(store, map, isEnded, attempts, written));
        writer.start();
        double read =
            readers == 0
                ? waited(millis)
                : rate(
                    readers,
                    millis,
                    random -> {
                      try {
                        read(map.in(ObjectSpace.of(store.snapshot())), random, ENTRIES);
                      } catch (ConflictException e) {
                        aborts.incrementAndGet();
                      }
                      LockSupport.parkNanos(1_000_000_000L / READS_PER_SECOND);
                    });
        double rate = written.get() * 1e9 / (System.nanoTime() - startNanos);
        isEnded.set(true);
        writer.join();
        figure.add(
            readers, rate, read, (double) aborts.get(), (double) (attempts.get() - written.get()));
      }
    }
    return figure;
  }

  private static double waited(long millis) throws InterruptedException {
    Thread.sleep(millis);
    return 0;
  }

  private static void write(
      Store store,
      ComposedMap<Long, Bytes> map,
      AtomicBoolean isEnded,
      AtomicLong attempts,
      AtomicLong written) {
    SplittableRandom random = new SplittableRandom(7);
    long dueNanos = System.nanoTime();
    while (!isEnded.get()) {
      ObjectSpace.of(store)
          .run(
              tx -> {
                attempts.incrementAndGet();
                for (int i = 0; i < ENTRIES; i++) {
                  map.in(tx).fastPut((long) random.nextInt(RECORDS), value());
                }
              });
      written.incrementAndGet();
      dueNanos = Math.max(dueNanos + PERIOD_NANOS, System.nanoTime() - PERIOD_NANOS);
      LockSupport.parkNanos(dueNanos - System.nanoTime());
    }
  }
}
