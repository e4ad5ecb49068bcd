package io.github.stablecut.examples.bench.replica;

import io.github.stablecut.Store;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Commits at one store about a thousand times per second, and measures how long after each
 * acknowledgement a read at the other one sees it. Confined to one thread, except for its own two.
 */
public final class VisibilityProbe {
  private static final CounterKey PROBE = Key.counter("bench", "probe");
  private static final long COMMIT_EVERY_NANOS = 1_000_000;
  private static final long READ_EVERY_NANOS = 100_000;
  private static final long MAX_NANOS = 600_000_000_000L;

  private final Histogram lag = new Histogram(MAX_NANOS, 3);
  private final Queue<SentUpdate> sent = new ConcurrentLinkedQueue<>();
  private final Thread committer;
  private final Thread reader;
  private volatile boolean isOver;
  private volatile boolean isLastSent;

  private record SentUpdate(long value, long acknowledgedAtNanos) {}

  private VisibilityProbe(Store local, Store remote) {
    this.committer = new Thread(() -> commitAll(local), "probe-commit");
    this.reader = new Thread(() -> readAll(remote), "probe-read");
  }

  public static VisibilityProbe start(Store local, Store remote) {
    VisibilityProbe probe = new VisibilityProbe(local, remote);
    probe.committer.start();
    probe.reader.start();
    return probe;
  }

  /** Commits once more, and waits until a read sees that commit, and thus everything before. */
  public static void await(Store local, Store remote) {
    local.update(PROBE.increment(1));
    long last = local.read(PROBE);
    while (remote.read(PROBE) < last) {
      LockSupport.parkNanos(READ_EVERY_NANOS);
    }
  }

  private void commitAll(Store local) {
    long value = local.read(PROBE);
    while (!isOver) {
      local.update(PROBE.increment(1));
      value++;
      sent.add(new SentUpdate(value, System.nanoTime()));
      LockSupport.parkNanos(COMMIT_EVERY_NANOS);
    }
    isLastSent = true;
  }

  private void readAll(Store remote) {
    Queue<SentUpdate> waiting = new ArrayDeque<>();
    while (!isLastSent || !waiting.isEmpty() || !sent.isEmpty()) {
      long seen = remote.read(PROBE);
      long nowNanos = System.nanoTime();
      for (SentUpdate next = sent.poll(); next != null; next = sent.poll()) {
        waiting.add(next);
      }
      while (!waiting.isEmpty() && waiting.element().value <= seen) {
        lag.recordValue(Math.max(0, nowNanos - waiting.remove().acknowledgedAtNanos));
      }
      LockSupport.parkNanos(READ_EVERY_NANOS);
    }
  }

  /** Waits until the other store shows everything committed. */
  public void end() throws InterruptedException {
    isOver = true;
    committer.join();
    reader.join();
  }

  /** The nanoseconds from acknowledgement to visibility; to be called after {@link #end}. */
  public Histogram lag() {
    return lag;
  }
}
