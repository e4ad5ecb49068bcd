package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CounterKey;
import io.github.stablecut.Key;
import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.error.StablecutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Writers that count two objects up together, mostly on partitions of different nodes, and readers
 * that look whether both are the same. Whatever a node says in trouble is taken as: perhaps.
 */
final class PairLoad implements AutoCloseable {
  private static final int WRITERS = 3;

  private final String bucket;
  private final List<Supplier<Store>> nodes;
  private final List<Thread> threads = new ArrayList<>();
  private final List<AtomicLong> acknowledged = new ArrayList<>();
  private final List<AtomicLong> attempted = new ArrayList<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private volatile boolean isOver;

  /**
   * @param nodes connects to one each
   */
  PairLoad(String bucket, List<Supplier<Store>> nodes) {
    this.bucket = bucket;
    this.nodes = nodes;
    for (int writer = 0; writer < WRITERS; writer++) {
      acknowledged.add(new AtomicLong());
      attempted.add(new AtomicLong());
      int number = writer;
      threads.add(new Thread(() -> write(number), "writer-" + writer));
      threads.add(new Thread(() -> read(number), "reader-" + writer));
    }
    threads.forEach(Thread::start);
  }

  private CounterKey key(int writer, String side) {
    return Key.counter(bucket, writer + side);
  }

  private void write(int writer) {
    for (int node = writer; !isOver; node++) {
      try (Store store = nodes.get(node % nodes.size()).get()) {
        while (!isOver) {
          var unused = attempted.get(writer).incrementAndGet();
          var unusedToo =
              store.update(
                  key(writer, "left").increment(1),
                  key(writer, "middle").increment(1),
                  key(writer, "right").increment(1));
          unused = acknowledged.get(writer).incrementAndGet();
        }
      } catch (StablecutException e) {
        pause();
      }
    }
  }

  private void read(int writer) {
    long seen = 0;
    for (int node = writer + 1; !isOver; node++) {
      try (Store store = nodes.get(node % nodes.size()).get()) {
        while (!isOver) {
          long before = acknowledged.get(writer).get();
          Values values =
              store.read(List.of(key(writer, "left"), key(writer, "middle"), key(writer, "right")));
          check(writer, values);
          seen = Math.max(seen, before);
          pause();
        }
      } catch (StablecutException e) {
        pause();
      }
    }
  }

  private void check(int writer, Values values) {
    long left = values.get(key(writer, "left"));
    long middle = values.get(key(writer, "middle"));
    long right = values.get(key(writer, "right"));
    if (left != right || left != middle) {
      violations.add("writer %d: %d, %d, %d".formatted(writer, left, middle, right));
    }
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** How many were acknowledged so far. */
  long acknowledged() {
    return acknowledged.stream().mapToLong(AtomicLong::get).sum();
  }

  /** Ends the load, and checks what is there. */
  void check(Store store) throws Exception {
    close();
    assertThat(violations).isEmpty();
    for (int writer = 0; writer < WRITERS; writer++) {
      int number = writer;
      // A node sees what another has acknowledged once it has heard of it, a moment later.
      Eventually.holds(
          "what was acknowledged is seen",
          () -> {
            Values values =
                store.read(
                    List.of(key(number, "left"), key(number, "middle"), key(number, "right")));
            check(number, values);
            return values.get(key(number, "left")) >= acknowledged.get(number).get();
          });
      assertThat(store.read(key(writer, "left"))).isLessThanOrEqualTo(attempted.get(writer).get());
    }
    assertThat(violations).isEmpty();
  }

  @Override
  public void close() {
    isOver = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
