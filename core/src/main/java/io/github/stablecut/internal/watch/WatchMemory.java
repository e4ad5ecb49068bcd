package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory of the commits in the buffers of a store's watches, including those read and
 * not removed by users. A commit that several buffers hold completely counts once; if each buffer
 * holds a part, the parts count. Thread-safe.
 */
public final class WatchMemory {
  /** The maximum that all buffers of a store hold together, in bytes: a sixteenth of the heap. */
  public static final long MAX_BYTES = HeapShare.ofLarge(Long.MAX_VALUE, 1);

  /** Approximate size of a commit in the heap, without its objects. */
  private static final long COMMIT_BYTES = 256;

  /** Approximate size of an object of a commit in the heap, without its name and effects. */
  private static final long OBJECT_BYTES = 160;

  private final long limit;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param limit in bytes
   */
  WatchMemory(long limit) {
    this.limit = limit;
  }

  /** Creates the charge for a commit that is about to be offered to buffers. */
  Charge charge(CommittedWrites writes) {
    return new Charge(bytesOf(writes));
  }

  /** Approximate bytes of a commit in the heap. */
  static long bytesOf(CommittedWrites writes) {
    return COMMIT_BYTES + OBJECT_BYTES * writes.objects().size() + writes.bytes();
  }

  /**
   * Ends the watches with the largest buffers until the others are within the limit. A single
   * commit may exceed the limit if there is no other.
   */
  void relieve(Collection<WatchBuffer> buffers) {
    while (isExceeded()) {
      Optional<WatchBuffer> largest =
          buffers.stream().max(Comparator.comparingLong(WatchBuffer::heldBytes));
      if (largest.isEmpty() || !largest.get().tryCrowdOut(taken.get())) {
        return;
      }
    }
  }

  /** Whether the held bytes exceed the limit. */
  boolean isExceeded() {
    return taken.get() > limit;
  }

  /** The held bytes. */
  long taken() {
    return taken.get();
  }

  /** The share of one of several watches, in bytes. */
  long shareOf(int watches) {
    return limit / Math.max(1, watches);
  }

  /**
   * Counts the parts of a commit that buffers hold, up to the size of the whole commit.
   * Thread-safe.
   */
  final class Charge {
    private final long whole;

    @GuardedBy("this")
    private long parts;

    private Charge(long whole) {
      this.whole = whole;
    }

    /** Adds the bytes of a part that a buffer holds; a negative number releases them. */
    synchronized void add(long bytes) {
      long before = Math.min(parts, whole);
      parts += bytes;
      taken.addAndGet(Math.min(parts, whole) - before);
    }
  }
}
