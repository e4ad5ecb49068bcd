package io.github.stablecut.cluster.internal.membership;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Tracks which members exchange messages with this node, from their heartbeats alone. Reports of
 * third nodes don't count: if one link is cut, all nodes but the two at its ends still reach both.
 * Confined to one actor.
 *
 * <p>Invariant: a member is reachable only if both directions work: a heartbeat arrived within
 * {@link #SILENCE}, and confirmed that the member hears this node.
 */
final class Reachability {
  /** A member without a heartbeat for this long is unreachable. */
  static final Duration SILENCE = Duration.ofSeconds(5);

  /**
   * The most time between two updates that counts. A longer gap means that this process was frozen,
   * which says nothing about the other members.
   */
  private static final Duration LONGEST_STEP = Duration.ofSeconds(1);

  private final LongSupplier nanoTime;

  /** The time of each member's last heartbeat. */
  private final Map<String, Long> heardAtNanos = new HashMap<>();

  /** The time of each member's last heartbeat if that confirmed that it hears this node. */
  private final Map<String, Long> confirmedAtNanos = new HashMap<>();

  /** The members that have ever been reachable. */
  private final Set<String> everReachable = new HashSet<>();

  /** The times at which members were lost, by {@link #awakeNanos}. */
  private final Map<String, Long> lostAtNanos = new HashMap<>();

  private long updatedAtNanos;

  /** The time for which this process has run, without the times when it was frozen. */
  private long awakeNanos;

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  Reachability(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.updatedAtNanos = nanoTime.getAsLong();
  }

  /**
   * Records a heartbeat.
   *
   * @param hearsThis whether it confirms that the member hears this node
   */
  void recordHeartbeat(String address, boolean hearsThis) {
    long nowNanos = nanoTime.getAsLong();
    heardAtNanos.put(address, nowNanos);
    if (hearsThis) {
      confirmedAtNanos.put(address, nowNanos);
      everReachable.add(address);
    } else {
      confirmedAtNanos.remove(address);
    }
  }

  /** Forgets a member: the next node at its address may be a different one. */
  void forget(String address) {
    heardAtNanos.remove(address);
    confirmedAtNanos.remove(address);
    lostAtNanos.remove(address);
    everReachable.remove(address);
  }

  /** Whether messages flow in both directions between this node and a member. */
  boolean isReachable(String address) {
    return isFresh(confirmedAtNanos.get(address));
  }

  /** Whether the member has ever been reachable. */
  boolean wasReachable(String address) {
    return everReachable.contains(address);
  }

  private boolean isFresh(@org.jspecify.annotations.Nullable Long atNanos) {
    return atNanos != null && nanoTime.getAsLong() - atNanos < SILENCE.toNanos();
  }

  /** The addresses of the members that this node hears, in order. */
  List<String> heardAddresses() {
    return heardAtNanos.keySet().stream()
        .filter(address -> isFresh(heardAtNanos.get(address)))
        .sorted()
        .toList();
  }

  /**
   * Updates which members are lost.
   *
   * @param addresses the addresses of the members that are lost now
   */
  void updateLost(List<String> addresses) {
    long nowNanos = nanoTime.getAsLong();
    awakeNanos += Math.min(nowNanos - updatedAtNanos, LONGEST_STEP.toNanos());
    updatedAtNanos = nowNanos;
    lostAtNanos.keySet().retainAll(addresses);
    addresses.forEach(address -> lostAtNanos.putIfAbsent(address, awakeNanos));
  }

  /**
   * Whether a member has been lost for longer than a time, without the times when this process was
   * frozen.
   */
  boolean isLostFor(String address, Duration time) {
    Long sinceNanos = lostAtNanos.get(address);
    return sinceNanos != null && awakeNanos - sinceNanos > time.toNanos();
  }
}
