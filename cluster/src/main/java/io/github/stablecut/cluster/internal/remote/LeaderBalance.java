package io.github.stablecut.cluster.internal.remote;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * Decides which partition this node hands over to its preferred leader without being asked, so that
 * leadership is even again after a cluster was formed, or nodes have joined or restarted. It waits
 * until the preferred leader has been able to lead for a while; twice as long after each handover
 * of the same partition, so that a node that fails repeatedly does not interrupt it each time.
 * Confined to one thread at a time.
 */
final class LeaderBalance {
  /** The time for which the preferred leader of a partition must have been able to lead it. */
  static final Duration SETTLING = Duration.ofSeconds(10);

  /** The longest such time, after repeated handovers. */
  static final Duration LONGEST = Duration.ofMinutes(10);

  /** The time after which a partition's last handover is forgotten. */
  static final Duration FORGOTTEN = Duration.ofHours(1);

  private final LongSupplier nanoTime;

  /** Since when partitions could be handed over. */
  private final Map<Integer, Long> misplacedSinceNanos = new HashMap<>();

  /** The recent handovers, by partition. */
  private final Map<Integer, Handovers> recent = new HashMap<>();

  /** The number of a partition's handovers, and the time of the last one. */
  private record Handovers(int times, long lastNanos) {
    /**
     * Returns the time for which the preferred leader must have been able to lead before the next
     * handover.
     */
    long settlingNanos() {
      return Math.min(LONGEST.toNanos(), SETTLING.toNanos() << Math.min(times, 16));
    }
  }

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  LeaderBalance(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Returns a partition to hand over now, if any, and records that it is.
   *
   * @param misplaced the partitions led here whose preferred leaders, on other nodes, could lead
   *     them
   */
  Optional<Integer> takeDue(Collection<Integer> misplaced) {
    long nowNanos = nanoTime.getAsLong();
    misplacedSinceNanos.keySet().retainAll(misplaced);
    recent.values().removeIf(one -> nowNanos - one.lastNanos >= FORGOTTEN.toNanos());
    Optional<Integer> due = Optional.empty();
    for (int number : new TreeSet<>(misplaced)) {
      long sinceNanos = misplacedSinceNanos.computeIfAbsent(number, any -> nowNanos);
      Handovers before = recent.getOrDefault(number, new Handovers(0, nowNanos));
      if (due.isEmpty() && nowNanos - sinceNanos >= before.settlingNanos()) {
        due = Optional.of(number);
        recent.put(number, new Handovers(before.times + 1, nowNanos));
        misplacedSinceNanos.put(number, nowNanos);
      }
    }
    return due;
  }
}
