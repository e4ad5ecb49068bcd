package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which objects of a partition are requested without a waiting thread. If such a read turns
 * out to be large or times out, a waiting thread requests the object a second time. Objects that
 * were large at their last read are therefore excluded, as far as they are remembered. While the
 * owner is slow, all objects are excluded. Thread-safe.
 */
final class NonBlockingReads {
  /**
   * The number of remembered hashes. Each hash names its slot; of two hashes with the same slot,
   * the later one is kept. With as many large objects as slots, about two thirds are remembered;
   * the more objects there are, the more of them are read twice. A small object with the hash of a
   * large one is excluded too.
   */
  static final int PLACES = 1 << 14;

  /** The time for which an owner counts as slow after it did not answer in time. */
  static final long SLOW_NANOS = Duration.ofSeconds(5).toNanos();

  private final LongSupplier nanoTime;

  /** The hashes of large objects, 0 for none; null before the first. */
  private volatile @Nullable AtomicIntegerArray large;

  private volatile long slowUntilNanos;

  /**
   * @param nanoTime a monotonic clock
   */
  NonBlockingReads(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.slowUntilNanos = nanoTime.getAsLong();
  }

  /** Returns whether an object may be requested without a waiting thread. */
  boolean mayAsk(Bytes id) {
    AtomicIntegerArray known = large;
    int hash = hash(id);
    return (known == null || known.get(place(hash)) != hash)
        && nanoTime.getAsLong() - slowUntilNanos >= 0;
  }

  /** Records the size class of an object that was read. */
  void found(Bytes id, boolean isLarge) {
    AtomicIntegerArray known = large;
    if (known == null) {
      if (!isLarge) {
        return;
      }
      // A hash that another thread records at the same moment may be lost.
      known = new AtomicIntegerArray(PLACES);
      large = known;
    }
    int hash = hash(id);
    int place = place(hash);
    if (isLarge) {
      known.set(place, hash);
    } else if (known.get(place) == hash) {
      known.set(place, 0);
    }
  }

  /** Records that the owner has not answered in time. */
  void unanswered() {
    slowUntilNanos = nanoTime.getAsLong() + SLOW_NANOS;
  }

  /**
   * Applies the finalizer of MurmurHash3, as neighbouring ids have neighbouring hashes. Never 0.
   */
  private static int hash(Bytes id) {
    int hash = id.hashCode();
    hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
    return (hash ^ (hash >>> 16)) | Integer.MIN_VALUE;
  }

  private static int place(int hash) {
    return hash & (PLACES - 1);
  }
}
