package io.github.stablecut.cluster.internal.membership;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The nodes to ask for admission: decides when a seed starts a cluster instead of waiting for
 * admission, and whether a member should have waited longer. The seeds are ordered by address, so
 * that nodes with the same seeds in different orders agree. Only the first seed starts a new
 * cluster. A cluster that was formed is restarted by the first seed that runs and belongs to it.
 * Confined to its node's actor.
 *
 * <p>A node also asks the members that it remembers from earlier runs: so it can join while all
 * seeds are away, or if its only seed is itself. A remembered member starts no cluster unless it is
 * a seed.
 */
public final class Seeds {
  /** So long the first seed waits for others before it begins a new cluster. */
  private static final Duration ALONE_AFTER = Duration.ofSeconds(3);

  /**
   * So long it waits if its cluster was formed before: nodes that are busy and answer late would
   * never be in one cluster with it. It does not wait if all that it asks wait themselves.
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

  private final String first;
  private final List<String> others;

  /** The other seeds, then the remembered members that are no seeds. */
  private final List<String> asked;

  private final Set<String> remembered;
  private final LongSupplier nanoTime;
  private long began;

  /** Another node waits for admission, as it has said. */
  private record Waiting(long said, boolean isFormed) {}

  /** The latest of each address. */
  private final Map<String, Waiting> waiting = new HashMap<>();

  /** When a node has said that it is in another cluster. */
  private record Apart(long first, long last) {}

  private final Map<String, Apart> apart = new HashMap<>();

  private long looked;

  /**
   * @param all as {@code host:port}, in any order; none for a node that begins a cluster by itself
   * @param self the address of this node
   * @param remembered the addresses of members that the node remembers from earlier runs
   */
  public Seeds(List<String> all, String self, Set<String> remembered, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong();
    this.looked = began;
    List<String> sorted = all.stream().distinct().sorted().toList();
    this.place = sorted.isEmpty() ? 0 : sorted.indexOf(self);
    this.first = sorted.isEmpty() ? "" : sorted.get(0);
    this.others = sorted.stream().filter(seed -> !seed.equals(self)).toList();
    this.remembered = Set.copyOf(remembered);
    this.asked =
        Stream.concat(others.stream(), remembered.stream().sorted())
            .filter(address -> !address.equals(self))
            .distinct()
            .toList();
  }

  /** The node waits again from now on: it was let in, and could not join. */
  void startOver() {
    began = nanoTime.getAsLong();
  }

  /** Whether this node is the first of them, or there are none. */
  boolean isFirst() {
    return place == 0;
  }

  /** The address of the first seed; empty if there are no seeds. */
  String first() {
    return first;
  }

  /** All but this node. */
  public List<String> others() {
    return others;
  }

  /** The remembered members that are no seeds. */
  List<String> remembered() {
    return asked.stream().filter(address -> !others.contains(address)).toList();
  }

  /** The other nodes that may admit this one: seeds and remembered members. */
  public List<String> asked() {
    return asked;
  }

  /**
   * Another node has said that it waits for admission, too.
   *
   * @param isFormed whether it belongs to a cluster that was formed
   */
  public void isWaiting(String address, boolean isFormed) {
    var unused = waiting.put(address, new Waiting(nanoTime.getAsLong(), isFormed));
  }

  /**
   * Whether it is this node that begins the cluster, and it has waited long enough for one that is
   * there, and for the seeds before it. A seed with an empty directory gives precedence to seeds
   * with data: its new cluster would refuse them.
   *
   * @param wasFormed whether the node belongs to a cluster that was formed
   */
  public boolean beginsHere(boolean wasFormed) {
    if (wasFormed) {
      return place >= 0
          && others.subList(0, place).stream().noneMatch(this::isFormedAndWaits)
          && (asked.stream().allMatch(this::isWaitingNow)
              || hasWaited(AGAIN_AFTER.plus(TURN.multipliedBy(place))));
    }
    return place == 0
        && others.stream().noneMatch(this::isFormedAndWaits)
        && (asked.stream().allMatch(this::isWaitingNow) || hasWaited(ALONE_AFTER));
  }

  /**
   * Whether the node accepts the admission of a member. For three seconds it accepts only that of
   * remembered members: a node that has given way to another cluster remembers a member of that
   * one, while the seeds may still be in the cluster that it has left.
   */
  boolean isPreferred(String address) {
    return remembered.isEmpty() || remembered.contains(address) || hasWaited(ALONE_AFTER);
  }

  private boolean isWaitingNow(String address) {
    return waitingNow(address).isPresent();
  }

  private boolean isFormedAndWaits(String address) {
    return waitingNow(address).map(Waiting::isFormed).orElse(false);
  }

  private Optional<Waiting> waitingNow(String address) {
    return Optional.ofNullable(waiting.get(address))
        .filter(known -> nanoTime.getAsLong() - known.said < FRESH.toNanos());
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
