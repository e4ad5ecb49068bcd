package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The active snapshots of open transactions and pins, which truncation must keep readable. A
 * transaction open for longer than the maximum age no longer counts, whether or not it has ended.
 * Thread-safe.
 */
public final class ActiveSnapshots {
  private final LongSupplier nanoTime;
  private final long maxAgeNanos;
  private final Set<Registration> open = ConcurrentHashMap.newKeySet();

  /**
   * @param nanoTime a monotonic clock, in nanoseconds
   * @param maxAgeNanos the maximum age of an open transaction
   */
  public ActiveSnapshots(LongSupplier nanoTime, long maxAgeNanos) {
    this.nanoTime = nanoTime;
    this.maxAgeNanos = maxAgeNanos;
  }

  /**
   * Facts about an active snapshot.
   *
   * @param isLimited whether it expires
   * @param thread the name of the thread that registered it
   */
  public record SnapshotInfo(
      long ageNanos, boolean isLimited, VectorClock snapshot, String thread) {}

  /** The oldest active snapshots, oldest first. */
  public List<SnapshotInfo> oldest(int most) {
    return open.stream()
        .filter(registration -> !registration.isExpired())
        .map(Registration::facts)
        .sorted(Comparator.comparingLong(SnapshotInfo::ageNanos).reversed())
        .limit(most)
        .toList();
  }

  /** An active snapshot of an open transaction or a pin. */
  public final class Registration {
    private final VectorClock snapshot;
    private final String thread = Thread.currentThread().getName();
    private final boolean isLimited;
    private volatile long ageNanos;
    private volatile boolean isEnded;
    private final long sinceNanos = nanoTime.getAsLong();

    private Registration(VectorClock snapshot, long ageNanos) {
      this.snapshot = snapshot;
      this.ageNanos = ageNanos;
      this.isLimited = ageNanos != Long.MAX_VALUE;
    }

    private SnapshotInfo facts() {
      return new SnapshotInfo(nanoTime.getAsLong() - sinceNanos, isLimited, snapshot, thread);
    }

    /** The registered snapshot. */
    public VectorClock snapshot() {
      return snapshot;
    }

    /** Whether it has ended, or the transaction exceeded the maximum age, which ends it. */
    public boolean isExpired() {
      return isEnded || nanoTime.getAsLong() - sinceNanos > ageNanos;
    }

    /**
     * Exempts it from expiry: the transaction is being committed, which has its own timeout, and
     * the outcome ends the registration.
     */
    public void keep() {
      ageNanos = Long.MAX_VALUE;
      open.add(this);
    }

    /** Ends the registration. */
    public void end() {
      // First: if the removal overflows the stack, the next reader of the set removes it.
      isEnded = true;
      open.remove(this);
    }
  }

  /** Registers a snapshot until it is ended or reaches the maximum age. */
  public Registration register(VectorClock snapshot) {
    return add(new Registration(snapshot, maxAgeNanos));
  }

  /** Registers a snapshot until it is ended, without a maximum age. */
  public Registration pin(VectorClock snapshot) {
    return add(new Registration(snapshot, Long.MAX_VALUE));
  }

  private Registration add(Registration registration) {
    open.add(registration);
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
