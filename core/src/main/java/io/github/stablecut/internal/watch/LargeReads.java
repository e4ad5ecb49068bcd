package io.github.stablecut.internal.watch;

import io.github.stablecut.internal.thread.HeapPermits;
import java.util.Optional;

/**
 * Limits the memory of the large records that watches read concurrently. A read ends before a large
 * record if this has no permits for it; {@link #await} waits for them before the next read, without
 * holding any. Confined to one thread at a time.
 */
final class LargeReads implements AutoCloseable {
  /**
   * The number of copies of a record in memory during a read: its frames or effects, and the
   * record.
   */
  private static final int COPIES = 2;

  private final HeapPermits permits;
  private HeapPermits.Permits held = HeapPermits.NOTHING;

  /** The bytes of the held permits; 0 if there are none. */
  private long heldBytes;

  /** The bytes for which a read had no permits; 0 if it had. */
  private long refusedBytes;

  LargeReads(HeapPermits permits) {
    this.permits = permits;
  }

  /** Whether a large record may be read now. Does not block. */
  boolean tryBegin(long recordBytes) {
    // A piece of the history ends with the record that exceeds its maximum.
    long bytes = COPIES * (JournalCommits.MAX_BYTES + recordBytes);
    if (heldBytes == 0) {
      try {
        acquire(bytes, System.nanoTime());
      } catch (InterruptedException e) {
        // The next wait reports it.
        Thread.currentThread().interrupt();
      }
    }
    refusedBytes = heldBytes >= bytes ? 0 : bytes;
    return refusedBytes == 0;
  }

  /**
   * Waits for the permits that the last read lacked.
   *
   * @param deadlineNanos a time of {@link System#nanoTime}
   * @return whether the next read may begin
   */
  boolean await(long deadlineNanos) throws InterruptedException {
    if (heldBytes < refusedBytes) {
      // While this waits, it holds nothing that others wait for.
      close();
      acquire(refusedBytes, deadlineNanos);
    }
    return heldBytes >= refusedBytes;
  }

  private void acquire(long bytes, long deadlineNanos) throws InterruptedException {
    Optional<HeapPermits.Permits> acquired = permits.tryAcquire(bytes, deadlineNanos);
    if (acquired.isPresent()) {
      held = acquired.get();
      heldBytes = bytes;
    }
  }

  /** Whether the last read ended before a large record. */
  boolean isRefused() {
    return refusedBytes > 0;
  }

  /** Whether permits are held. */
  boolean isHolding() {
    return heldBytes > 0;
  }

  /** Releases the permits. May be called more than once. */
  @Override
  public void close() {
    held.close();
    held = HeapPermits.NOTHING;
    heldBytes = 0;
  }
}
