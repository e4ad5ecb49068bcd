package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.internal.thread.ManagedBlocking;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds the memory that large requests of all connections may take together from the beginning of
 * their decoding to their answers: several times the size of their frames. They are admitted in
 * order. Thread-safe.
 */
public final class LargeRequests {
  /** Smaller requests are not counted. */
  static final long LARGE_BYTES = 64 << 10;

  /** A value is in memory so many times at once: received, decoded, encoded, on its way. */
  private static final int COPIES = 5;

  /** What one part of a request, such as an update, takes in memory beside its bytes. */
  private static final int PART_BYTES = 256;

  /** A part has at least about so many bytes in a frame. */
  private static final int SMALLEST_PART = 8;

  private static final int UNIT = 1 << 10;

  private final int all;
  private final Semaphore free;
  private final Duration patience;

  /**
   * @param bytes the most memory that they may take together; a single one is admitted whatever it
   *     takes
   * @param patience how long a request waits
   */
  public LargeRequests(long bytes, Duration patience) {
    this.all = units(bytes);
    this.free = new Semaphore(all, true);
    this.patience = patience;
  }

  private static int units(long bytes) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytes / UNIT));
  }

  /** The admission of one request. */
  Admission of(long frameBytes) {
    return new Admission(frameBytes);
  }

  /** Memory for a request. Thread-safe. */
  final class Admission {
    private final int units;
    private final AtomicInteger held = new AtomicInteger();

    private Admission(long frameBytes) {
      long parts = Math.min(frameBytes / SMALLEST_PART, HeapShare.MESSAGE_PARTS);
      long bytes = frameBytes <= LARGE_BYTES ? 0 : frameBytes * COPIES + parts * PART_BYTES;
      this.units = bytes == 0 ? 0 : Math.min(all, units(bytes));
    }

    /**
     * Waits for the memory; another thread executes requests meanwhile.
     *
     * @throws BusyException if it does not become free in time
     */
    void begin() {
      if (units > 0 && !ManagedBlocking.during(this::isFree)) {
        throw new BusyException(
            "other large requests have taken the memory for them (half of the heap) for %d s: try again, send smaller requests, or give the server more heap (-Xmx)"
                .formatted(patience.toSeconds()));
      }
    }

    private boolean isFree() {
      try {
        if (free.tryAcquire(units, patience.toNanos(), TimeUnit.NANOSECONDS)) {
          held.set(units);
          return true;
        }
        return false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    /** Gives the memory back, if it was admitted. */
    void end() {
      free.release(held.getAndSet(0));
    }
  }
}
