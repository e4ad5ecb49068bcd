package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.service.handle.BusyException;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.internal.thread.HeapShare;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Limits the memory that the large requests of all connections occupy together, from decoding to
 * the answer: several times the size of their frames. Admits requests in order. Thread-safe.
 */
public final class LargeRequests {
  /** Smaller requests are not counted. */
  static final long LARGE_BYTES = 64 << 10;

  /**
   * The number of copies of a value that are in memory at once: received, decoded, encoded, in
   * transit.
   */
  private static final int COPIES = 5;

  /** Memory overhead of one part of a request, such as an update. */
  private static final int PART_BYTES = 256;

  /** Approximate minimum size of a part in a frame. */
  private static final int SMALLEST_PART = 8;

  private final HeapPermits permits;
  private final Duration timeout;

  /**
   * @param bytes the memory that they may occupy together; a request that needs more gets all of it
   * @param timeout how long a request waits for memory
   */
  public LargeRequests(long bytes, Duration timeout) {
    this.permits = new HeapPermits(bytes);
    this.timeout = timeout;
  }

  /** Creates the admission of a request. */
  Admission of(long frameBytes) {
    return new Admission(frameBytes);
  }

  /** The memory of a request. Thread-safe. */
  final class Admission {
    private final long bytes;
    private final AtomicReference<HeapPermits.Permits> held =
        new AtomicReference<>(HeapPermits.NOTHING);

    private Admission(long frameBytes) {
      long parts = Math.min(frameBytes / SMALLEST_PART, HeapShare.MESSAGE_PARTS);
      this.bytes = frameBytes <= LARGE_BYTES ? 0 : frameBytes * COPIES + parts * PART_BYTES;
    }

    /**
     * Acquires the memory. While this waits, another thread executes requests.
     *
     * @throws BusyException if the memory does not become available in time
     */
    void acquire() {
      held.set(
          tryAcquire()
              .orElseThrow(
                  () ->
                      new BusyException(
                          "other large requests have occupied their share of the memory (half of the heap) for %d s: try again, send smaller requests, or give the server more heap (-Xmx)"
                              .formatted(timeout.toSeconds()))));
    }

    private Optional<HeapPermits.Permits> tryAcquire() {
      try {
        return permits.tryAcquire(bytes, System.nanoTime() + timeout.toNanos());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      }
    }

    /** Releases the memory, if it was acquired. */
    void release() {
      held.getAndSet(HeapPermits.NOTHING).close();
    }
  }
}
