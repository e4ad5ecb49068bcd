package io.github.stablecut.cluster.internal.membership;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The nodes that let others in: when one of them begins a cluster instead of being let into one,
 * and whether it should have waited longer. Only the first begins a new one; if it is away, the
 * next of them begins again one that was formed. The first is the one whose address sorts first:
 * nodes that were told the same seeds in different orders agree on it. Confined to its node's
 * actor.
 */
public final class Seeds {
  /** So long the first seed waits for others before it begins a new cluster. */
  private static final Duration ALONE_AFTER = Duration.ofSeconds(3);

  /**
   * So long it waits if its cluster was formed before: nodes that are busy and answer late would
   * never be in one cluster with it. Not if the other seeds say that they wait themselves.
   */
  private static final Duration AGAIN_AFTER = Duration.ofSeconds(20);

  /**
   * So often a member asks the seeds that it does not reach whether they are in another cluster.
   */
  private static final Duration LOOK_EVERY = Duration.ofSeconds(10);

  /**
   * A node that has said so for this long is in another cluster: neither has the news just not
   * come, nor is it about to be removed.
   */
  private static final Duration APART_AFTER = Duration.ofSeconds(9);

  /** What was said longer ago was about something else. */
  private static final Duration APART_FORGOTTEN_AFTER = Duration.ofSeconds(25);

  /** So much longer than the one before it each of the other seeds waits. */
  private static final Duration TURN = Duration.ofSeconds(10);

  /** What a seed has said so long ago need not be so any more. */
  private static final Duration FRESH = Duration.ofSeconds(5);

  /** This node's place among the seeds, in order; below 0 if it is none of them. */
  private final int place;

  private final List<String> others;
  private final LongSupplier nanoTime;
  private long began;

  /** When others have last said that they wait to be let in. */
  private final Map<String, Long> waiting = new HashMap<>();

  /** When a node has said that it is in another cluster. */
  private record Apart(long first, long last) {}

  private final Map<String, Apart> apart = new HashMap<>();

  private long looked;

  /**
   * @param all as {@code host:port}, in any order; none for a node that begins a cluster by itself
   * @param self the address of this node
   */
  public Seeds(List<String> all, String self, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong();
    this.looked = began;
    List<String> sorted = all.stream().distinct().sorted().toList();
    this.place = sorted.isEmpty() ? 0 : sorted.indexOf(self);
    this.others = sorted.stream().filter(seed -> !seed.equals(self)).toList();
  }

  /** The node waits again from now on: it was let in, and could not join. */
  void startOver() {
    began = nanoTime.getAsLong();
  }

  /** Whether this node is the first of them, or there are none. */
  boolean isFirst() {
    return place == 0;
  }

  /** All but this node. */
  public List<String> others() {
    return others;
  }

  /** Another node has said that it waits to be let in, as this one does. */
  public void isWaiting(String address) {
    var unused = waiting.put(address, nanoTime.getAsLong());
  }

  /**
   * Whether it is this node that begins the cluster, and it has waited long enough for one that is
   * there, and for the seeds before it.
   *
   * @param wasFormed whether the node belongs to a cluster
   */
  public boolean beginsHere(boolean wasFormed) {
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

  /**
   * Those that a member is to ask now whether they are in another cluster.
   *
   * @param reachable the members that it reaches: one that it does not reach may have been started
   *     again, in another cluster
   */
  public List<String> missing(Set<String> reachable) {
    long now = nanoTime.getAsLong();
    if (now - looked < LOOK_EVERY.toNanos()) {
      return List.of();
    }
    looked = now;
    return others.stream().filter(seed -> !reachable.contains(seed)).toList();
  }

  /**
   * A node has said in which cluster it is.
   *
   * @param isTogether whether that is the cluster of this node
   * @return whether it is another one, and has been for long enough
   */
  public boolean areApart(String address, boolean isTogether) {
    if (isTogether) {
      var unused = apart.remove(address);
      return false;
    }
    long now = nanoTime.getAsLong();
    long first =
        Optional.ofNullable(apart.get(address))
            .filter(known -> now - known.last <= APART_FORGOTTEN_AFTER.toNanos())
            .map(Apart::first)
            .orElse(now);
    Apart said = new Apart(first, now);
    var unused = apart.put(address, said);
    return now - said.first > APART_AFTER.toNanos();
  }
}
