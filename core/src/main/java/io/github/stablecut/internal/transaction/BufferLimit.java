package io.github.stablecut.internal.transaction;

import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.RetryException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Limits the memory that the uncommitted updates of a set of open transactions use together. An
 * update above the limit is refused immediately rather than delayed, because the transactions that
 * hold the memory may be idle. Thread-safe.
 */
public final class BufferLimit {
  /** The approximate overhead of an update, in bytes, in addition to its encoded size. */
  static final int UPDATE_BYTES = 128;

  /** A transaction whose updates count against a limit. */
  public interface LimitedTransaction {
    /**
     * Counts this transaction's updates until its outcome is known. Called before the first use.
     */
    void countIn(BufferLimit limit);
  }

  private final long limit;
  private final Function<String, RetryException> refusal;
  private final AtomicLong reservedBytes = new AtomicLong();

  /**
   * @param limit the most bytes of all transactions together
   * @param refusal creates the exception for an update above the limit from its message
   */
  public BufferLimit(long limit, Function<String, RetryException> refusal) {
    this.limit = limit;
    this.refusal = refusal;
  }

  /** The bytes that all transactions hold. */
  public long reservedBytes() {
    return reservedBytes.get();
  }

  /** Creates an empty reservation for one transaction. */
  Reservation reservation() {
    return new Reservation();
  }

  /** The bytes that one transaction holds. Thread-safe, but only one thread reserves. */
  final class Reservation implements AutoCloseable {
    private final AtomicLong heldBytes = new AtomicLong();

    private Reservation() {}

    /**
     * Reserves bytes.
     *
     * @throws LimitExceededException if the transaction alone would exceed the limit
     * @throws RetryException if all transactions together would exceed the limit
     */
    void reserve(long bytes) {
      long own = heldBytes.get() + bytes;
      if (own > limit) {
        throw new LimitExceededException(
            "the transaction's updates would use %,d bytes of memory, and all open transactions together may use %,d (an eighth of the heap): commit in smaller transactions, or give the server a larger heap"
                .formatted(own, limit));
      }
      long all = reservedBytes.addAndGet(bytes);
      if (all > limit) {
        subtract(reservedBytes, bytes);
        throw refusal.apply(
            "the updates of all open transactions would use %,d bytes of memory, and they may use %,d (an eighth of the heap): commit or abort some and retry, or give the server a larger heap"
                .formatted(all, limit));
      }
      heldBytes.set(own);
    }

    /** Releases bytes that were reserved. */
    void release(long bytes) {
      subtract(heldBytes, bytes);
      subtract(reservedBytes, bytes);
    }

    /** Releases everything. */
    @Override
    public void close() {
      subtract(reservedBytes, heldBytes.getAndSet(0));
    }
  }

  private static void subtract(AtomicLong counter, long bytes) {
    counter.updateAndGet(held -> held - bytes);
  }
}
