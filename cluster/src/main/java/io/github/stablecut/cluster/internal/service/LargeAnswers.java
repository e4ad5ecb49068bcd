package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.internal.thread.ManagedBlocking;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bounds how many large answers are made at the same time, as each may take an eighth of the heap
 * until it is handed over to be sent. Thread-safe.
 */
final class LargeAnswers {
  /** So many at a time: while one is copied, another is read. */
  private static final int AT_A_TIME = 2;

  /** The most large objects that are remembered. */
  static final int MOST_EXPECTED = 1_000;

  /** The most bytes that their ids have together. */
  static final long MOST_EXPECTED_BYTES = HeapShare.of(1 << 20);

  private final Semaphore free = new Semaphore(AT_A_TIME, true);

  /** The objects that were large, of which the ones found last are remembered. */
  @GuardedBy("this")
  private final Set<Bytes> expected = new LinkedHashSet<>();

  @GuardedBy("this")
  private long expectedBytes;

  private final Duration patience;

  /**
   * @param patience how long somebody waits for a turn
   */
  LargeAnswers(Duration patience) {
    this.patience = patience;
  }

  /** A turn of somebody whose calls are executed one after the other. */
  Turn turn() {
    return new Turn();
  }

  /** Whether an object was large the last time that it was read, as far as that is remembered. */
  synchronized boolean isExpected(Bytes id) {
    return expected.contains(id);
  }

  /** An object is large. */
  private synchronized void expect(Bytes id) {
    if (expected.add(id)) {
      expectedBytes += id.length();
    }
    Iterator<Bytes> oldest = expected.iterator();
    while (expected.size() > MOST_EXPECTED || expectedBytes > MOST_EXPECTED_BYTES) {
      expectedBytes -= oldest.next().length();
      oldest.remove();
    }
  }

  /** The bytes of the ids that are remembered. */
  synchronized long expectedBytes() {
    return expectedBytes;
  }

  /** The right to have a large answer made. Thread-safe. */
  final class Turn {
    private final AtomicBoolean isHeld = new AtomicBoolean();

    boolean isHeld() {
      return isHeld.get();
    }

    /**
     * Waits for it, unless it is held; another thread executes requests meanwhile.
     *
     * @throws BusyException if it does not come in time
     */
    void begin() {
      if (isHeld.get()) {
        return;
      }
      if (!ManagedBlocking.during(this::isFree)) {
        throw new BusyException(
            "%d other large answers have been made for %d s: try again, ask for parts of objects, or give the server more heap (-Xmx) and processors"
                .formatted(AT_A_TIME, patience.toSeconds()));
      }
      isHeld.set(true);
    }

    private boolean isFree() {
      try {
        return free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    /** Begins it if an object was large before. */
    void beginIfExpected(Bytes id) {
      if (isExpected(id)) {
        begin();
      }
    }

    /** Begins it for an object that is large, which is remembered. */
    void beginFor(Bytes id) {
      expect(id);
      begin();
    }

    /** Ends it, if it is held. */
    void end() {
      if (isHeld.getAndSet(false)) {
        free.release();
      }
    }
  }
}
