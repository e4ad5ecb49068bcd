package io.github.stablecut.cluster.internal.ring;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The nodes that let others in: when one of them begins a cluster instead of being let into one,
 * and whether it should have waited longer. Only the first begins a new one; if it is away, the
 * next of them begins again one that was formed. Confined to its node's actor.
 */
final class Seeds {
  /** So long the first seed waits for others before it begins a new cluster. */
  private static final Duration ALONE_AFTER = Duration.ofSeconds(3);

  /**
   * So long it waits if its cluster was formed before: nodes that are busy and answer late would
   * never be in one cluster with it. Not if the other seeds say that they wait themselves.
   */
  private static final Duration AGAIN_AFTER = Duration.ofSeconds(20);

  /** So often a member asks the seeds that are not in its cluster whether they are in another. */
  private static final Duration LOOK_EVERY = Duration.ofSeconds(10);

  /**
   * A seed that has said so for this long is not in this cluster: neither has the news just not
   * come, nor is it about to be removed.
   */
  private static final Duration APART_AFTER = Duration.ofSeconds(9);

  /** So much longer than the one before it each of the other seeds waits. */
  private static final Duration TURN = Duration.ofSeconds(10);

  /** What a seed has said so long ago need not be so any more. */
  private static final Duration FRESH = Duration.ofSeconds(5);

  /** This node's place among the seeds; below 0 if it is none of them. */
  private final int place;

  private final List<String> others;
  private final LongSupplier nanoTime;
  private final long began;

  /** When others have last said that they wait to be let in. */
  private final Map<String, Long> waiting = new HashMap<>();

  /** Since when others have said that they are in another cluster. */
  private final Map<String, Long> apart = new HashMap<>();

  private long looked;

  /**
   * @param all as {@code host:port}; none for a node that begins a cluster by itself
   * @param self the address of this node
   */
  Seeds(List<String> all, String self, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong();
    this.looked = began;
    this.place = all.isEmpty() ? 0 : all.indexOf(self);
    this.others = all.stream().filter(seed -> !seed.equals(self)).toList();
  }

  /** All but this node. */
  List<String> others() {
    return others;
  }

  /** Another node has said that it waits to be let in, as this one does. */
  void isWaiting(String address) {
    var unused = waiting.put(address, nanoTime.getAsLong());
  }

  /**
   * Whether it is this node that begins the cluster, and it has waited long enough for one that is
   * there, and for the seeds before it.
   *
   * @param wasFormed whether the node belongs to a cluster
   */
  boolean beginsHere(boolean wasFormed) {
    if (place == 0) {
      Duration alone = wasFormed ? AGAIN_AFTER : ALONE_AFTER;
      return others.stream().allMatch(this::isWaitingNow) || hasWaited(alone);
    }
    return place > 0
        && wasFormed
        && others.subList(0, place).stream().noneMatch(this::isWaitingNow)
        && hasWaited(AGAIN_AFTER.plus(TURN.multipliedBy(place)));
  }

  private boolean isWaitingNow(String seed) {
    Long said = waiting.get(seed);
    return said != null && nanoTime.getAsLong() - said < FRESH.toNanos();
  }

  private boolean hasWaited(Duration time) {
    return nanoTime.getAsLong() - began > time.toNanos();
  }

  /** Those that a member is to ask now whether they are in another cluster. */
  List<String> missing(Set<String> members) {
    long now = nanoTime.getAsLong();
    if (now - looked < LOOK_EVERY.toNanos()) {
      return List.of();
    }
    looked = now;
    apart.keySet().removeAll(members);
    return others.stream().filter(seed -> !members.contains(seed)).toList();
  }

  /**
   * A node has said that it is in a cluster.
   *
   * @param members of this node's cluster
   * @return whether that is another cluster, for long enough
   */
  boolean areApart(String address, Set<String> members) {
    if (members.contains(address)) {
      return false;
    }
    long now = nanoTime.getAsLong();
    return now - apart.computeIfAbsent(address, added -> now) > APART_AFTER.toNanos();
  }
}
