package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.service.handle.BusyException;
import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.internal.thread.ManagedBlocking;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits the memory that the large requests of all connections occupy together, from decoding to
 * the answer: several times the size of their frames. Admits requests in order. Thread-safe.
 */
public final class LargeRequests {
  /** Smaller requests are not counted. */
  static final long LARGE_BYTES = 64 << 10;

  /** How often a value is in memory at once: received, decoded, encoded, in transit. */
  private static final int COPIES = 5;

  /** Memory overhead of one part of a request, such as an update. */
  private static final int PART_BYTES = 256;

  /** Approximate minimum size of a part in a frame. */
  private static final int SMALLEST_PART = 8;

  private static final int UNIT = 1 << 10;

  private final int all;
  private final Semaphore free;
  private final Duration timeout;

  /**
   * @param bytes the memory that they may occupy together; a request that needs more gets all of it
   * @param timeout how long a request waits for memory
   */
  public LargeRequests(long bytes, Duration timeout) {
    this.all = units(bytes);
    this.free = new Semaphore(all, true);
    this.timeout = timeout;
  }

  private static int units(long bytes) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytes / UNIT));
  }

  /** Creates the admission of a request. */
  Admission of(long frameBytes) {
    return new Admission(frameBytes);
  }

  /** The memory of a request. Thread-safe. */
  final class Admission {
    private final int units;
    private final AtomicInteger held = new AtomicInteger();

    private Admission(long frameBytes) {
      long parts = Math.min(frameBytes / SMALLEST_PART, HeapShare.MESSAGE_PARTS);
      long bytes = frameBytes <= LARGE_BYTES ? 0 : frameBytes * COPIES + parts * PART_BYTES;
      this.units = bytes == 0 ? 0 : Math.min(all, units(bytes));
    }

    /**
     * Acquires the memory. While this waits, another thread executes requests.
     *
     * @throws BusyException if the memory does not become available in time
     */
    void begin() {
      if (units > 0 && !ManagedBlocking.during(this::tryAcquire)) {
        throw new BusyException(
            "other large requests have occupied their share of the memory (half of the heap) for %d s: try again, send smaller requests, or give the server more heap (-Xmx)"
                .formatted(timeout.toSeconds()));
      }
    }

    private boolean tryAcquire() {
      try {
        if (free.tryAcquire(units, timeout.toNanos(), TimeUnit.NANOSECONDS)) {
          held.set(units);
          return true;
        }
        return false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    /** Releases the memory, if it was acquired. */
    void end() {
      free.release(held.getAndSet(0));
    }
  }
}
