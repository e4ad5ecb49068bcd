package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.TransactionOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Writers increment three objects together, mostly on partitions of different nodes. Sessions check
 * that all three have the same value and never decrease. Any failure counts as an unknown outcome.
 * Thread-safe.
 */
final class PairLoad implements AutoCloseable {
  private static final int WRITERS = 3;
  private static final int READS_PER_NODE = 20;
  private static final int REPORTED_FAILURES = 30;
  private static final long WRITER_PAUSE_NANOS = 3_000_000;

  private final String bucket;
  private final List<Supplier<Store>> nodes;
  private final List<Thread> threads = new ArrayList<>();
  private final List<AtomicLong> acknowledged = new ArrayList<>();
  private final List<AtomicLong> attempted = new ArrayList<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong longest = new AtomicLong();
  private final Supplier<String> facts = this::facts;
  private volatile boolean isOver;

  /**
   * @param nodes suppliers of connections, one for each node
   */
  PairLoad(String bucket, List<Supplier<Store>> nodes) {
    this(bucket, nodes, WRITERS);
  }

  /** As {@link #PairLoad(String, List)}, with the given numbers of writers and sessions. */
  PairLoad(String bucket, List<Supplier<Store>> nodes, int writers) {
    this.bucket = bucket;
    this.nodes = nodes;
    for (int writer = 0; writer < writers; writer++) {
      acknowledged.add(new AtomicLong());
      attempted.add(new AtomicLong());
      int number = writer;
      threads.add(new Thread(() -> write(number), "writer-" + writer));
      threads.add(new Thread(() -> read(number), "reader-" + writer));
    }
    Eventually.addFacts(facts);
    threads.forEach(Thread::start);
  }

  private String facts() {
    List<String> all = failures();
    int first = Math.max(0, all.size() - REPORTED_FAILURES);
    return "%d updates were acknowledged; %d calls of clients failed, the last ones with:%n%s"
        .formatted(
            acknowledged(),
            all.size(),
            String.join(System.lineSeparator(), all.subList(first, all.size())));
  }

  private CounterKey key(int writer, String side) {
    return Key.counter(bucket, writer + side);
  }

  private void write(int writer) {
    for (int node = writer; !isOver; node++) {
      try (Store store = nodes.get(node % nodes.size()).get()) {
        while (!isOver) {
          attempted.get(writer).incrementAndGet();
          long startNanos = System.nanoTime();
          store.update(
              key(writer, "left").increment(1),
              key(writer, "middle").increment(1),
              key(writer, "right").increment(1));
          longest.accumulateAndGet(System.nanoTime() - startNanos, Math::max);
          acknowledged.get(writer).incrementAndGet();
          // Leave the processors to the tested events.
          LockSupport.parkNanos(WRITER_PAUSE_NANOS);
        }
      } catch (StablecutException e) {
        failures.add(e.toString());
        pause();
      }
    }
  }

  /** Runs a session that changes its node after each failure, and occasionally without one. */
  private void read(int writer) {
    Optional<CausalToken> seenAt = Optional.empty();
    long seen = 0;
    for (int node = writer + 1; !isOver; node++) {
      try (Store store = nodes.get(node % nodes.size()).get()) {
        for (int i = 0; i < READS_PER_NODE && !isOver; i++) {
          Values values = read(store, writer, seenAt);
          check(writer, values);
          long now = values.get(key(writer, "left"));
          if (now < seen) {
            violations.add("session %d read %d after %d".formatted(writer, now, seen));
          }
          seen = now;
          seenAt = Optional.of(values.token());
          pause();
        }
      } catch (StablecutException e) {
        failures.add(e.toString());
        pause();
      }
    }
  }

  private Values read(Store store, int writer, Optional<CausalToken> after) {
    TransactionOptions options = TransactionOptions.defaults();
    try (Transaction transaction = store.begin(after.map(options::after).orElse(options))) {
      return transaction.read(
          List.of(key(writer, "left"), key(writer, "middle"), key(writer, "right")));
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

  /** The number of updates acknowledged so far. */
  long acknowledged() {
    return acknowledged.stream().mapToLong(AtomicLong::get).sum();
  }

  /** The failures of clients' calls. */
  List<String> failures() {
    return List.copyOf(failures);
  }

  /**
   * Returns the duration of the slowest acknowledged update since the previous call, in
   * milliseconds, and resets it.
   */
  @CanIgnoreReturnValue
  long longestMillis() {
    return longest.getAndSet(0) / 1_000_000;
  }

  /** Waits until another update is acknowledged. */
  void awaitProgress() throws Exception {
    long before = acknowledged();
    Eventually.holds("writers write", () -> acknowledged() > before + 30);
  }

  /**
   * Ends the load, checks the values on each store, and waits until all stores have the same
   * values.
   */
  void checkEqual(List<Store> stores) throws Exception {
    for (Store store : stores) {
      check(store);
    }
    for (int writer = 0; writer < acknowledged.size(); writer++) {
      CounterKey key = key(writer, "left");
      Eventually.holds(
          "all have the same",
          () -> stores.stream().map(store -> store.read(key)).distinct().count() == 1);
    }
  }

  /** Ends the load, and checks the values. */
  void check(Store store) throws Exception {
    close();
    assertThat(violations).isEmpty();
    for (int writer = 0; writer < acknowledged.size(); writer++) {
      int number = writer;
      // A node sees another's acknowledged writes once it has learned of them, a moment later.
      Eventually.holds(
          "the acknowledged writes are visible",
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

  /** Stops the writers and the sessions. */
  void end() {
    isOver = true;
    Eventually.removeFacts(facts);
    Joining.all(threads);
  }

  @Override
  public void close() {
    end();
  }
}
