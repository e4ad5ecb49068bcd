package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The snapshots that open transactions and pins hold, which truncation must keep readable. A
 * transaction that is open for longer than the maximum age no longer counts, whether or not it is
 * ended. Thread-safe.
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

  /**
   * Facts about a claim.
   *
   * @param isLimited whether it ends by itself
   * @param thread the name of the thread that has made it
   */
  public record Claimed(long ageNanos, boolean isLimited, VectorClock snapshot, String thread) {}

  /** The oldest claims, oldest first. */
  public List<Claimed> oldest(int most) {
    return open.stream()
        .filter(claim -> !claim.isExpired())
        .map(Registration::facts)
        .sorted(Comparator.comparingLong(Claimed::ageNanos).reversed())
        .limit(most)
        .toList();
  }

  /** A claim on a snapshot, by an open transaction or a pin. */
  public final class Registration {
    private final VectorClock snapshot;
    private final String thread = Thread.currentThread().getName();
    private final boolean isLimited;
    private volatile long ageNanos;
    private volatile boolean isEnded;
    private final long since = nanoTime.getAsLong();

    private Registration(VectorClock snapshot, long ageNanos) {
      this.snapshot = snapshot;
      this.ageNanos = ageNanos;
      this.isLimited = ageNanos != Long.MAX_VALUE;
    }

    private Claimed facts() {
      return new Claimed(nanoTime.getAsLong() - since, isLimited, snapshot, thread);
    }

    /** The claimed snapshot. */
    public VectorClock snapshot() {
      return snapshot;
    }

    /** Whether the claim has ended, or the transaction exceeded the maximum age, which ends it. */
    public boolean isExpired() {
      return isEnded || nanoTime.getAsLong() - since > ageNanos;
    }

    /**
     * Exempts the claim from expiry: the transaction is being committed, which has its own timeout,
     * and the outcome ends the claim.
     */
    public void keep() {
      ageNanos = Long.MAX_VALUE;
      boolean unused = open.add(this);
    }

    /** Ends the claim. */
    public void end() {
      // First: if the stack ends in the removal, the next one who looks at the claim removes it.
      isEnded = true;
      var unused = open.remove(this);
    }
  }

  /** Claims a snapshot until the claim is ended or reaches the maximum age. */
  public Registration register(VectorClock snapshot) {
    return add(new Registration(snapshot, maxAgeNanos));
  }

  /** Claims a snapshot until the claim is ended, without a maximum age. */
  public Registration pin(VectorClock snapshot) {
    return add(new Registration(snapshot, Long.MAX_VALUE));
  }

  private Registration add(Registration registration) {
    var unused = open.add(registration);
    return registration;
  }

  /** The number of open transactions. Drops expired ones. */
  public int count() {
    open.removeIf(Registration::isExpired);
    return open.size();
  }

  /**
   * The minimum dependency: the greatest vector at or below the snapshots of all open transactions
   * and {@code newest}, the snapshot of a new one. Drops expired transactions.
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
