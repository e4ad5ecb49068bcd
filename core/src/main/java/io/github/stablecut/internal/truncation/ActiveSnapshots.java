package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The snapshots that open transactions read at: what they still need can't be forgotten. A
 * transaction that is open for longer than the allowed age counts no more, whether or not anybody
 * ends it. Thread-safe.
 */
public final class ActiveSnapshots {
  private final LongSupplier nanoTime;
  private final long maxAgeNanos;
  private final Set<Registration> open = ConcurrentHashMap.newKeySet();

  /**
   * @param nanoTime a monotonic clock, in nanoseconds
   * @param maxAgeNanos how long a transaction may stay open
   */
  public ActiveSnapshots(LongSupplier nanoTime, long maxAgeNanos) {
    this.nanoTime = nanoTime;
    this.maxAgeNanos = maxAgeNanos;
  }

  /** One claim on a snapshot: an open transaction's, or a pin. */
  public final class Registration {
    private final VectorClock snapshot;
    private volatile long ageNanos;
    private final long since = nanoTime.getAsLong();

    private Registration(VectorClock snapshot, long ageNanos) {
      this.snapshot = snapshot;
      this.ageNanos = ageNanos;
    }

    /** What is claimed. */
    public VectorClock snapshot() {
      return snapshot;
    }

    /**
     * Whether the transaction has been open for longer than it may be; then its claim has ended.
     */
    public boolean isExpired() {
      return nanoTime.getAsLong() - since > ageNanos;
    }

    /**
     * From now on the claim does not expire: the transaction is being committed, which has its own
     * time limit, and the claim is ended with the outcome.
     */
    public void keep() {
      ageNanos = Long.MAX_VALUE;
      boolean unused = open.add(this);
    }

    /** Ends the claim. */
    public void end() {
      var unused = open.remove(this);
    }
  }

  /** Claims a snapshot until the end of the claim, or until the longest age. */
  public Registration register(VectorClock snapshot) {
    return add(new Registration(snapshot, maxAgeNanos));
  }

  /** Claims a snapshot until the end of the claim, however long that is. */
  public Registration pin(VectorClock snapshot) {
    return add(new Registration(snapshot, Long.MAX_VALUE));
  }

  private Registration add(Registration registration) {
    var unused = open.add(registration);
    return registration;
  }

  /** The number of open transactions. Forgets those that have expired. */
  public int count() {
    open.removeIf(Registration::isExpired);
    return open.size();
  }

  /**
   * The greatest vector at or below the snapshots of all open transactions and {@code newest}, what
   * a new one would read at: the minimum dependency. Forgets expired transactions.
   */
  public VectorClock minDependency(VectorClock newest) {
    open.removeIf(Registration::isExpired);
    VectorClock min = newest;
    for (Registration registration : open) {
      min = min.meet(registration.snapshot);
    }
    return min;
  }
}
