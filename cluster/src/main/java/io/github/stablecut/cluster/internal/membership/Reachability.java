package io.github.stablecut.cluster.internal.membership;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Which members exchange messages with this node, by what it has heard from them itself. What third
 * nodes say of a member does not count: if one link is cut, everybody but the two at its ends still
 * reaches both. Confined to one actor.
 *
 * <p>Invariant: a member is reachable only if both directions work: it was heard within {@link
 * #SILENCE}, and said that it hears this node.
 */
final class Reachability {
  /** A member that was not heard for so long is unreachable. */
  static final Duration SILENCE = Duration.ofSeconds(5);

  /**
   * The longest time between two looks that counts. While the process was frozen nobody could be
   * heard, and that says nothing about the others.
   */
  private static final Duration LONGEST_STEP = Duration.ofSeconds(1);

  private final LongSupplier nanoTime;

  /** When each member was heard last. */
  private final Map<String, Long> heard = new HashMap<>();

  /** When each member has said last that it hears this node. */
  private final Map<String, Long> echoed = new HashMap<>();

  /** Those that have ever said so. */
  private final Set<String> reached = new HashSet<>();

  /** Since when members are lost, in {@link #awake} time. */
  private final Map<String, Long> lost = new HashMap<>();

  private long looked;

  /** How long this process has been running, without the times when it was frozen. */
  private long awake;

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  Reachability(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.looked = nanoTime.getAsLong();
  }

  /**
   * A member was heard.
   *
   * @param hearsThis whether it says that it hears this node
   */
  void heard(String address, boolean hearsThis) {
    long now = nanoTime.getAsLong();
    var unused = heard.put(address, now);
    var unusedToo = hearsThis ? echoed.put(address, now) : echoed.remove(address);
    if (hearsThis) {
      reached.add(address);
    }
  }

  /** Whoever has the address next may be another node. */
  void forget(String address) {
    var unused = heard.remove(address);
    unused = echoed.remove(address);
    unused = lost.remove(address);
    boolean unusedToo = reached.remove(address);
  }

  /** Whether messages go to a member and come back. */
  boolean isReachable(String address) {
    return isFresh(echoed.get(address));
  }

  /** Whether they ever did. */
  boolean wasReachable(String address) {
    return reached.contains(address);
  }

  private boolean isFresh(@org.jspecify.annotations.Nullable Long at) {
    return at != null && nanoTime.getAsLong() - at < SILENCE.toNanos();
  }

  /** The members that this node hears. */
  List<String> heard() {
    return heard.keySet().stream().filter(address -> isFresh(heard.get(address))).sorted().toList();
  }

  /**
   * Takes note of who is lost now.
   *
   * @param addresses the members that are
   */
  void look(List<String> addresses) {
    long now = nanoTime.getAsLong();
    awake += Math.min(now - looked, LONGEST_STEP.toNanos());
    looked = now;
    lost.keySet().retainAll(addresses);
    addresses.forEach(address -> lost.putIfAbsent(address, awake));
  }

  /** Whether a member has been lost for a time during which this process was running. */
  boolean isLostFor(String address, Duration time) {
    Long since = lost.get(address);
    return since != null && awake - since > time.toNanos();
  }
}
