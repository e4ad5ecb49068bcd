package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.Session;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.WatchOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Clients that receive the addresses of a cluster once and stay connected despite failures.
 * Sessions increment two objects together, retry each request until it is answered, and then read
 * their writes. A watch receives each of these requests once, completely and in order. Thread-safe.
 */
final class LongLivedClients implements AutoCloseable {
  private static final int SESSIONS = 4;
  private static final String BUCKET = "lasting";
  private static final long PAUSE_NANOS = 5_000_000;

  private final String uri;
  private final AtomicLongArray acknowledged = new AtomicLongArray(SESSIONS);
  private final AtomicLongArray watched = new AtomicLongArray(SESSIONS);
  private final AtomicLong longest = new AtomicLong();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean isOver;

  /**
   * @param uri the URI of all nodes
   */
  LongLivedClients(String uri) {
    this.uri = uri;
    CausalToken begin;
    try (Store store = Stablecut.connect(uri)) {
      begin = store.update(Key.counter("begin", "k").increment(1));
    }
    for (int i = 0; i < SESSIONS; i++) {
      int session = i;
      threads.add(new Thread(() -> work(session), "session-" + i));
    }
    threads.add(new Thread(() -> watch(begin), "watch"));
    threads.forEach(Thread::start);
  }

  private static CounterKey left(int session) {
    return Key.counter(BUCKET, "left" + session);
  }

  private static CounterKey right(int session) {
    return Key.counter(BUCKET, "right" + session);
  }

  private void work(int number) {
    try (Store store = Stablecut.connect(uri)) {
      Session session = retry(store::openSession);
      while (!isOver) {
        long request = acknowledged.get(number) + 1;
        long startNanos = System.nanoTime();
        retry(() -> session.update(request, left(number).increment(1), right(number).increment(1)));
        longest.accumulateAndGet(System.nanoTime() - startNanos, Math::max);
        acknowledged.set(number, request);
        long read = retry(() -> store.read(left(number)));
        if (read != request) {
          wrong.add("session %d reads %d after request %d".formatted(number, read, request));
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Retries a call until it has an answer. */
  private <T> T retry(Supplier<T> call) {
    while (true) {
      try {
        return call.get();
      } catch (StablecutException e) {
        failures.add(e.toString());
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void watch(CausalToken begin) {
    CausalToken after = begin;
    try (Store store = Stablecut.connect(uri)) {
      while (!isOver || !isAllWatched()) {
        try (Watch watch = store.watch(BUCKET, "", WatchOptions.after(after))) {
          while (!isOver || !isAllWatched()) {
            watch.poll(Duration.ofMillis(100)).ifPresent(this::check);
            after = watch.position();
          }
        } catch (StablecutException e) {
          failures.add("watch: " + e);
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isAllWatched() {
    for (int i = 0; i < SESSIONS; i++) {
      if (watched.get(i) < acknowledged.get(i)) {
        return false;
      }
    }
    return true;
  }

  private void check(Change change) {
    for (int i = 0; i < SESSIONS; i++) {
      if (change.objects().contains(left(i))) {
        long value = change.read(left(i));
        if (value != watched.get(i) + 1 || change.read(right(i)) != value) {
          wrong.add(
              "session %d: %d and %d are watched after %d"
                  .formatted(i, value, change.read(right(i)), watched.get(i)));
        }
        watched.set(i, value);
      }
    }
  }

  /** Waits until each session has more acknowledged requests. */
  void awaitProgress() throws Exception {
    for (int i = 0; i < SESSIONS; i++) {
      int session = i;
      long before = acknowledged.get(i);
      Eventually.holds("a session continues", () -> acknowledged.get(session) > before + 20);
    }
  }

  /**
   * Returns the duration of the slowest request, with its retries, since the previous call, and
   * resets it.
   */
  Duration longest() {
    return Duration.ofNanos(longest.getAndSet(0));
  }

  /** The failures after which clients retried. */
  List<String> failures() {
    return List.copyOf(failures);
  }

  /**
   * Ends the clients, and checks that all requests were executed once and delivered to the watch.
   */
  void check(Store store) {
    close();
    assertThat(wrong).isEmpty();
    for (int i = 0; i < SESSIONS; i++) {
      int session = i;
      long all = acknowledged.get(i);
      assertThat(retry(() -> store.readLatest(left(session)))).isEqualTo(all);
      assertThat(retry(() -> store.readLatest(right(session)))).isEqualTo(all);
      assertThat(watched.get(i)).isEqualTo(all);
    }
  }

  @Override
  public void close() {
    isOver = true;
    Joining.all(threads);
  }
}
