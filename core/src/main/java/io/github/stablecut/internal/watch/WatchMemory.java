package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of all commits that wait in the buffers of a store's watches, or were read and not
 * taken by the user. A commit that several buffers hold in full counts once; of a commit of which
 * each buffer holds a part, only these parts count. Thread-safe.
 */
public final class WatchMemory {
  /** The bytes that all buffers of a store may hold together: a sixteenth of the heap. */
  public static final long MOST_BYTES = HeapShare.ofLarge(Long.MAX_VALUE, 1);

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

  /** Counts a commit that is about to be offered to buffers. */
  Charge charge(CommittedWrites writes) {
    return new Charge(bytesOf(writes));
  }

  /** Approximate bytes of a commit in the heap. */
  static long bytesOf(CommittedWrites writes) {
    return COMMIT_BYTES + OBJECT_BYTES * writes.objects().size() + writes.bytes();
  }

  /**
   * Ends the watches with the largest buffers until the others are within the limit. A single
   * commit may exceed the limit while no other one waits.
   */
  void relieve(Collection<WatchBuffer> buffers) {
    while (isExceeded()) {
      Optional<WatchBuffer> largest =
          buffers.stream().max(Comparator.comparingLong(WatchBuffer::heldBytes));
      if (largest.isEmpty() || !largest.get().crowdOut(taken.get())) {
        return;
      }
    }
  }

  /** Whether more is taken than the limit. */
  boolean isExceeded() {
    return taken.get() > limit;
  }

  /** The bytes that are taken. */
  long taken() {
    return taken.get();
  }

  /** The share of one of several watches, in bytes. */
  long shareOf(int watches) {
    return limit / Math.max(1, watches);
  }

  /**
   * Counts the parts that buffers hold of a commit, but not the commit itself, which would stay in
   * memory with its smallest part. Thread-safe.
   */
  final class Charge {
    private final long whole;

    @GuardedBy("this")
    private long parts;

    private Charge(long whole) {
      this.whole = whole;
    }

    /** A buffer takes a part of so many bytes, or gives it back if the number is negative. */
    synchronized void add(long bytes) {
      long before = Math.min(parts, whole);
      parts += bytes;
      long unused = taken.addAndGet(Math.min(parts, whole) - before);
    }
  }
}
