package io.github.stablecut.cluster.internal.ring;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The nodes that let others in: when the first of them begins a cluster instead of being let into
 * one, and whether it should have waited longer. Confined to its node's actor.
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

  private final boolean isFirst;
  private final List<String> others;
  private final long began = System.nanoTime();

  /** Those that have said that they wait to be let in. */
  private final Set<String> waiting = new HashSet<>();

  /** Since when others have said that they are in another cluster. */
  private final Map<String, Long> apart = new HashMap<>();

  private long looked = began;

  /**
   * @param all as {@code host:port}; none for a node that begins a cluster by itself
   * @param self the address of this node
   */
  Seeds(List<String> all, String self) {
    this.isFirst = all.isEmpty() || all.get(0).equals(self);
    this.others = all.stream().filter(seed -> !seed.equals(self)).toList();
  }

  /** All but this node. */
  List<String> others() {
    return others;
  }

  /** Another node has said that it waits to be let in, as this one does. */
  void isWaiting(String address) {
    boolean unused = waiting.add(address);
  }

  /**
   * Whether it is this node that begins the cluster, and it has waited long enough for one that is
   * there.
   *
   * @param wasFormed whether the node belongs to a cluster
   */
  boolean beginsHere(boolean wasFormed) {
    Duration alone = wasFormed ? AGAIN_AFTER : ALONE_AFTER;
    return isFirst && (waiting.containsAll(others) || System.nanoTime() - began > alone.toNanos());
  }

  /** Those that a member is to ask now whether they are in another cluster. */
  List<String> missing(Set<String> members) {
    long now = System.nanoTime();
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
    long now = System.nanoTime();
    return now - apart.computeIfAbsent(address, added -> now) > APART_AFTER.toNanos();
  }
}
