package io.github.stablecut.internal.transaction;

import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.RetryException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Bounds what the uncommitted updates of some open transactions hold in memory together. An update
 * without room is refused at once: those that hold room may be idle, so nobody waits for them.
 * Thread-safe.
 */
public final class BufferLimit {
  /** What an update takes beside its bytes, about. */
  static final int UPDATE_BYTES = 128;

  /** A transaction whose updates can be counted. */
  public interface Counted {
    /** Counts its updates from now on, until its outcome is known. Called before it is used. */
    void countIn(BufferLimit room);
  }

  private final long limit;
  private final Function<String, RetryException> refusal;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param limit the most bytes of all
   * @param refusal makes what an update without room is refused with, of a message
   */
  public BufferLimit(long limit, Function<String, RetryException> refusal) {
    this.limit = limit;
    this.refusal = refusal;
  }

  /** How many bytes are held. */
  public long taken() {
    return taken.get();
  }

  /** What one transaction holds; nothing yet. */
  Part part() {
    return new Part();
  }

  /** What one transaction holds. Thread-safe; but only one thread takes. */
  final class Part implements AutoCloseable {
    private final AtomicLong held = new AtomicLong();

    private Part() {}

    /**
     * Takes room.
     *
     * @throws LimitExceededException if the transaction alone would hold more than there is
     * @throws RetryException if others hold too much
     */
    void take(long bytes) {
      long own = held.get() + bytes;
      if (own > limit) {
        throw new LimitExceededException(
            "the transaction's updates would take %,d bytes in memory, all open transactions together may take %,d, an eighth of the heap: commit in parts, or give the server a larger heap"
                .formatted(own, limit));
      }
      long all = taken.addAndGet(bytes);
      if (all > limit) {
        var unused = taken.addAndGet(-bytes);
        throw refusal.apply(
            "the updates of all open transactions would take %,d bytes in memory, they may take %,d, an eighth of the heap: commit or abort some and try again, or give the server a larger heap"
                .formatted(all, limit));
      }
      var unused = held.addAndGet(bytes);
    }

    /** Gives room back that was taken. */
    void give(long bytes) {
      var unused = held.addAndGet(-bytes);
      var unusedToo = taken.addAndGet(-bytes);
    }

    /** Gives all room back. */
    @Override
    public void close() {
      var unused = taken.addAndGet(-held.getAndSet(0));
    }
  }
}
