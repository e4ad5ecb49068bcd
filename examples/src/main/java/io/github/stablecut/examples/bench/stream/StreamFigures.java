package io.github.stablecut.examples.bench.stream;

import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Figures 8 and 15: streams. */
public final class StreamFigures {
  private static final int ENTRY_BYTES = 32;
  private static final int PER_UPDATE = 1_000;
  private static final int PAGES = 10_000;
  private static final int VIEWS_PER_SECOND = 10_000;
  private static final int MAX_IN_FLIGHT = 5_000;
  private static final int TICKS = 10;
  private static final double NANOS = 1e9;

  private StreamFigures() {}

  static StoreOptions options() {
    return StoreOptions.defaults()
        .withDurability(Durability.periodic(Duration.ofSeconds(1)))
        .withCheckpoints(CheckpointPolicy.byCall());
  }

  private static StreamKey<Bytes> stream(int number) {
    return Key.stream("streams", "%06d".formatted(number), Codec.bytes());
  }

  /** Measures reading an entire stream, in microseconds, by number of streams. */
  public static Figure wholeStreams(Path directory, long millis) {
    Figure figure =
        Figure.of(
            "Figure 8: microseconds to read an entire stream by the number of streams",
            "streams",
            "10 entries",
            "100 entries",
            "1000 entries");
    for (int streams : new int[] {10, 1_000, 100_000}) {
      double[] micros = new double[3];
      for (int i = 0; i < micros.length; i++) {
        int entries = (int) Math.pow(10, i + 1);
        // Longer streams are fewer among many short ones, so that the log has the same length.
        micros[i] =
            wholeStream(directory.resolve(streams + "-" + entries), streams, entries, millis);
      }
      figure.add(streams, micros);
    }
    return figure;
  }

  private static double wholeStream(Path directory, int streams, int entries, long millis) {
    int longOnes = Math.min(streams, 10);
    try (Store store = Stablecut.open(directory, options())) {
      List<Update> updates = new ArrayList<>();
      for (int number = 0; number < streams; number++) {
        int count = number < longOnes ? entries : 10;
        updates.add(
            stream(number)
                .appendAll(Collections.nCopies(count, Bytes.wrap(new byte[ENTRY_BYTES]))));
        if (updates.size() == PER_UPDATE || number == streams - 1) {
          store.update(updates.toArray(Update[]::new));
          updates.clear();
        }
      }
      store.checkpoint();
      SplittableRandom random = new SplittableRandom(1);
      Histogram nanos = new Histogram(3);
      long endNanos = System.nanoTime() + millis * 1_000_000;
      while (System.nanoTime() < endNanos) {
        long startNanos = System.nanoTime();
        int found = store.read(stream(random.nextInt(longOnes))).entries().size();
        nanos.recordValue(System.nanoTime() - startNanos);
        if (found != entries) {
          throw new IllegalStateException(found + " entries");
        }
      }
      return nanos.getValueAtPercentile(50) / 1e3;
    }
  }

  /**
   * Records views of web pages durably at a fixed rate. In the second half a reader reads all pages
   * repeatedly, each time at a new snapshot.
   */
  public static Figure advertising(Path directory, long millis) throws InterruptedException {
    Figure figure =
        Figure.of(
            "Figure 15: recording page views concurrently with a snapshot reader, from half-time on",
            "tick",
            "views per second",
            "p50 ms",
            "p99 ms",
            "pages read per second");
    AtomicBoolean isReading = new AtomicBoolean();
    AtomicBoolean isEnded = new AtomicBoolean();
    AtomicLong read = new AtomicLong();
    try (Store store =
        Stablecut.open(directory, StoreOptions.defaults().withDurability(Durability.batch()))) {
      Thread reader = new Thread(() -> analyse(store, isReading, isEnded, read));
      reader.start();
      SplittableRandom random = new SplittableRandom(1);
      for (int tick = 0; tick < TICKS; tick++) {
        isReading.set(tick >= TICKS / 2);
        long before = read.get();
        long startNanos = System.nanoTime();
        Histogram nanos = new ConcurrentHistogram(3);
        long done = record(store, random, millis, nanos);
        double seconds = (System.nanoTime() - startNanos) / NANOS;
        figure.add(
            tick,
            done / seconds,
            nanos.getValueAtPercentile(50) / 1e6,
            nanos.getValueAtPercentile(99) / 1e6,
            (read.get() - before) / seconds);
        System.out.printf(
            "%2d %s %,.0f views/s%n",
            tick, "#".repeat((int) (done / seconds / VIEWS_PER_SECOND * 50)), done / seconds);
      }
      isEnded.set(true);
      reader.join();
    }
    return figure;
  }

  private static long record(Store store, SplittableRandom random, long millis, Histogram nanos)
      throws InterruptedException {
    Semaphore inFlight = new Semaphore(MAX_IN_FLIGHT);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    long startNanos = System.nanoTime();
    long views = millis * VIEWS_PER_SECOND / 1_000;
    Bytes view = Bytes.wrap(new byte[ENTRY_BYTES]);
    for (long i = 0; i < views; i++) {
      long dueNanos = startNanos + i * 1_000_000_000 / VIEWS_PER_SECOND;
      for (long remainingNanos = dueNanos - System.nanoTime();
          remainingNanos > 0;
          remainingNanos = dueNanos - System.nanoTime()) {
        LockSupport.parkNanos(remainingNanos);
      }
      inFlight.acquire();
      FireAndForget.whenDone(
          store.updateAsync(stream(random.nextInt(PAGES)).append(view)),
          (token, failed) -> {
            nanos.recordValue(Math.max(0, System.nanoTime() - dueNanos));
            if (failed != null) {
              failure.set(failed);
            }
            inFlight.release();
          });
    }
    inFlight.acquire(MAX_IN_FLIGHT);
    if (failure.get() != null) {
      throw new IllegalStateException("a view was not recorded", failure.get());
    }
    return views;
  }

  private static void analyse(
      Store store, AtomicBoolean isReading, AtomicBoolean isEnded, AtomicLong read) {
    while (!isEnded.get()) {
      if (!isReading.get()) {
        LockSupport.parkNanos(1_000_000);
        continue;
      }
      Snapshot snapshot = store.snapshot();
      for (int page = 0; page < PAGES && !isEnded.get(); page++) {
        long views = snapshot.read(stream(page).tail());
        read.addAndGet(views < 0 ? 0 : 1);
      }
    }
  }
}
