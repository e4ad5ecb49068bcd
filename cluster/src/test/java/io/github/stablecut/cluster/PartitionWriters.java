package io.github.stablecut.cluster;

import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Runs one writer for each partition of a cluster, which uses another node after each failure, and
 * measures how long partitions accept no writes. Thread-safe.
 */
final class PartitionWriters implements AutoCloseable {
  private static final long PAUSE_NANOS = 10_000_000;

  private final List<Supplier<Store>> nodes;
  private final List<CounterKey> keys;
  private final List<AtomicLong> counts = new ArrayList<>();

  /** By partition: when writes were acknowledged, by when they began. */
  private final List<NavigableMap<Long, Long>> answers = new ArrayList<>();

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean isOver;

  /**
   * @param nodes suppliers of connections, one for each node
   */
  PartitionWriters(int partitions, List<Supplier<Store>> nodes) {
    this.nodes = nodes;
    this.keys = keys(partitions);
    for (int i = 0; i < partitions; i++) {
      int partition = i;
      counts.add(new AtomicLong());
      answers.add(new ConcurrentSkipListMap<>());
      threads.add(new Thread(() -> write(partition), "writer-of-" + partition));
    }
    threads.forEach(Thread::start);
  }

  /** A key on each partition. */
  private List<CounterKey> keys(int partitions) {
    try (Store store = nodes.get(0).get()) {
      List<CounterKey> found = new ArrayList<>();
      for (int number = 0; found.size() < partitions; number++) {
        CounterKey key = Key.counter("partitions", "k" + number);
        if (store.partitionOf(key) == found.size()) {
          found.add(key);
        }
      }
      return found;
    }
  }

  private void write(int partition) {
    for (int node = partition; !isOver; node++) {
      try (Store store = nodes.get(node % nodes.size()).get()) {
        while (!isOver) {
          long startNanos = System.nanoTime();
          store.update(keys.get(partition).increment(1));
          answers.get(partition).put(startNanos, System.nanoTime());
          counts.get(partition).incrementAndGet();
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      } catch (StablecutException e) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /**
   * How long each partition took until it acknowledged a write that began after a moment.
   *
   * @param nanos the moment, as of {@link System#nanoTime}
   */
  List<Duration> silentSince(long nanos) throws Exception {
    List<Duration> silent = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      NavigableMap<Long, Long> of = answers.get(i);
      Eventually.holds(
          "partition " + i + " acknowledges a write", () -> of.higherEntry(nanos) != null);
      Map.Entry<Long, Long> first = of.higherEntry(nanos);
      silent.add(Duration.ofNanos(first.getValue() - nanos));
    }
    return silent;
  }

  /**
   * The longest time without an acknowledged write of each partition, since a moment.
   *
   * @param nanos the moment, as of {@link System#nanoTime}
   */
  List<Duration> pausesSince(long nanos) {
    List<Duration> pauses = new ArrayList<>();
    for (NavigableMap<Long, Long> of : answers) {
      long last = nanos;
      long longest = 0;
      for (long answered : of.tailMap(nanos).values()) {
        longest = Math.max(longest, answered - last);
        last = answered;
      }
      pauses.add(Duration.ofNanos(Math.max(longest, System.nanoTime() - last)));
    }
    return pauses;
  }

  /** Ends the writers, and describes the acknowledged writes that each partition has lost. */
  List<String> lost(Store store) {
    close();
    List<String> lost = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      long found = store.readLatest(keys.get(i));
      if (found < counts.get(i).get()) {
        lost.add("partition %d: %d of %d".formatted(i, found, counts.get(i).get()));
      }
    }
    return lost;
  }

  @Override
  public void close() {
    isOver = true;
    Joining.all(threads);
  }
}
