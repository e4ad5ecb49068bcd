package io.github.stablecut.cluster.internal.service.handle;

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
 * Limits how many large answers are encoded concurrently: each may occupy an eighth of the heap
 * until it is handed to the network. Thread-safe.
 */
public final class LargeAnswers {
  /** Two, so that one answer is read while another is encoded. */
  private static final int MAX_CONCURRENT = 2;

  /** Maximum number of remembered large objects. */
  static final int MAX_EXPECTED = 1_000;

  /** Maximum total size of their ids. */
  static final long MAX_EXPECTED_BYTES = HeapShare.of(1 << 20);

  private final Semaphore free = new Semaphore(MAX_CONCURRENT, true);

  /** The objects found to be large, oldest first. */
  @GuardedBy("this")
  private final Set<Bytes> expected = new LinkedHashSet<>();

  @GuardedBy("this")
  private long expectedBytes;

  private final Duration timeout;

  /**
   * @param timeout how long a call waits for a permit
   */
  public LargeAnswers(Duration timeout) {
    this.timeout = timeout;
  }

  /** Creates the permit of a client, whose calls execute one at a time. */
  Permit permit() {
    return new Permit();
  }

  /** Returns whether an object is remembered as large. */
  synchronized boolean isExpected(Bytes id) {
    return expected.contains(id);
  }

  /** Remembers a large object; forgets the oldest ones beyond the limits. */
  private synchronized void expect(Bytes id) {
    if (expected.add(id)) {
      expectedBytes += id.length();
    }
    Iterator<Bytes> oldest = expected.iterator();
    while (expected.size() > MAX_EXPECTED || expectedBytes > MAX_EXPECTED_BYTES) {
      expectedBytes -= oldest.next().length();
      oldest.remove();
    }
  }

  /** Returns the total size of the remembered ids. */
  synchronized long expectedBytes() {
    return expectedBytes;
  }

  /** The permit to encode large answers. Thread-safe. */
  public final class Permit {
    private final AtomicBoolean isHeld = new AtomicBoolean();

    boolean isHeld() {
      return isHeld.get();
    }

    /**
     * Acquires the permit, unless it is held. While this waits, another thread executes requests.
     *
     * @throws BusyException if the permit is not available in time
     */
    public void acquire() {
      if (isHeld.get()) {
        return;
      }
      if (!ManagedBlocking.during(this::tryAcquire)) {
        throw new BusyException(
            "%d other large answers have occupied the server for %d s: try again, read parts of objects, or give the server more heap (-Xmx) and processors"
                .formatted(MAX_CONCURRENT, timeout.toSeconds()));
      }
      isHeld.set(true);
    }

    private boolean tryAcquire() {
      try {
        return free.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    /** Acquires the permit if an object is remembered as large. */
    void acquireIfExpected(Bytes id) {
      if (isExpected(id)) {
        acquire();
      }
    }

    /** Remembers a large object and acquires the permit. */
    void acquireFor(Bytes id) {
      expect(id);
      acquire();
    }

    /** Releases the permit, if it is held. */
    void release() {
      if (isHeld.getAndSet(false)) {
        free.release();
      }
    }
  }
}
