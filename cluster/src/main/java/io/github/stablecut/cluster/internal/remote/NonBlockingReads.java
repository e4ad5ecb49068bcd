package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which objects of a partition are asked for while nobody waits. What then turns out to be large,
 * or does not come in time, is asked for a second time by a thread that waits. So objects that were
 * large when they were last read are left out, as far as they are remembered, and so are all while
 * the owner is slow. Thread-safe.
 */
final class NonBlockingReads {
  /**
   * So many hashes are remembered, each in the place that it names: of two with one place, the one
   * noted last. With as many large objects as places two of three are remembered; the more there
   * are beyond that, the more of them are read twice. A small object with the hash of a large one
   * is not asked for.
   */
  static final int PLACES = 1 << 14;

  /** An owner that has not answered in time counts as slow for so long. */
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

  /** Whether an object may be asked for while nobody waits. */
  boolean mayAsk(Bytes id) {
    AtomicIntegerArray known = large;
    int hash = hash(id);
    return (known == null || known.get(place(hash)) != hash)
        && nanoTime.getAsLong() - slowUntilNanos >= 0;
  }

  /** An object was read. */
  void found(Bytes id, boolean isLarge) {
    AtomicIntegerArray known = large;
    if (known == null) {
      if (!isLarge) {
        return;
      }
      // What another thread notes at this moment may be lost.
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

  /** The owner has not answered in time. */
  void unanswered() {
    slowUntilNanos = nanoTime.getAsLong() + SLOW_NANOS;
  }

  /** The finalizer of MurmurHash3, as neighbouring ids have neighbouring hashes. Never 0. */
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
