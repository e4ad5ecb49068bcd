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
 * The nodes to ask for admission. Decides when a seed starts a cluster instead of waiting for
 * admission, and detects a second cluster that started meanwhile. The seeds are ordered by address,
 * so that nodes with the same seeds in different orders agree. Only the first seed starts a new
 * cluster. A cluster that was formed is restarted by the first seed that runs and belongs to it.
 * Confined to its node's actor.
 *
 * <p>A node also asks the members that it remembers from earlier runs. So it can join while all
 * seeds are down, or if its only seed is itself. A remembered member starts no cluster unless it is
 * a seed.
 */
public final class Seeds {
  /** The time for which the first seed waits for others before it starts a new cluster. */
  private static final Duration NEW_CLUSTER_AFTER = Duration.ofSeconds(3);

  /**
   * The time for which a seed waits if its cluster was formed before: a busy member that answers
   * late would otherwise end up in another cluster. It stops waiting once all contacts report that
   * they wait.
   */
  private static final Duration RESTART_AFTER = Duration.ofSeconds(20);

  /** The interval at which a member asks unreachable seeds whether they are in another cluster. */
  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(10);

  /**
   * A node that reports another cluster for this long is in one. For less time, its view may just
   * lag behind, or it may be about to be removed.
   */
  private static final Duration APART_AFTER = Duration.ofSeconds(9);

  /** An older report does not belong to the same separation. */
  private static final Duration APART_EXPIRES_AFTER = Duration.ofSeconds(25);

  /** The time for which each seed waits longer than the previous one. */
  private static final Duration STAGGER = Duration.ofSeconds(10);

  /** Older reports that a node waits for admission are stale. */
  private static final Duration WAITING_EXPIRES_AFTER = Duration.ofSeconds(5);

  /** This node's index among the ordered seeds; -1 if it is not a seed, 0 without seeds. */
  private final int index;

  private final String first;
  private final List<String> others;

  /** The other seeds, followed by the remembered members that are not seeds. */
  private final List<String> contacts;

  private final Set<String> remembered;
  private final LongSupplier nanoTime;
  private long waitStartedNanos;

  /** A node's report that it waits for admission. */
  private record WaitReport(long atNanos, boolean isFormed) {}

  /** The latest report of each address. */
  private final Map<String, WaitReport> waiting = new HashMap<>();

  /** The times of a node's first and last report that it is in another cluster. */
  private record OtherClusterReports(long firstNanos, long lastNanos) {}

  private final Map<String, OtherClusterReports> apart = new HashMap<>();

  private long lastProbeNanos;

  /**
   * @param all the seeds as {@code host:port}, in any order; empty for a node that starts a cluster
   *     alone
   * @param self the address of this node
   * @param remembered the addresses of members that the node remembers from earlier runs
   */
  public Seeds(List<String> all, String self, Set<String> remembered, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.waitStartedNanos = nanoTime.getAsLong();
    this.lastProbeNanos = waitStartedNanos;
    List<String> sorted = all.stream().distinct().sorted().toList();
    this.index = sorted.isEmpty() ? 0 : sorted.indexOf(self);
    this.first = sorted.isEmpty() ? "" : sorted.get(0);
    this.others = sorted.stream().filter(seed -> !seed.equals(self)).toList();
    this.remembered = Set.copyOf(remembered);
    this.contacts =
        Stream.concat(others.stream(), remembered.stream().sorted())
            .filter(address -> !address.equals(self))
            .distinct()
            .toList();
  }

  /** Restarts the wait: the node was admitted, but could not join. */
  void startOver() {
    waitStartedNanos = nanoTime.getAsLong();
  }

  /** Whether this node is the first seed, or there are no seeds. */
  boolean isFirst() {
    return index == 0;
  }

  /** The address of the first seed; empty if there are no seeds. */
  String first() {
    return first;
  }

  /** The seeds without this node. */
  public List<String> others() {
    return others;
  }

  /** The remembered members that are not seeds. */
  List<String> remembered() {
    return contacts.stream().filter(address -> !others.contains(address)).toList();
  }

  /** The other nodes that may admit this one: seeds and remembered members. */
  public List<String> contacts() {
    return contacts;
  }

  /**
   * Records that another node waits for admission too.
   *
   * @param isFormed whether it belongs to a cluster that was formed
   */
  public void recordWaiting(String address, boolean isFormed) {
    waiting.put(address, new WaitReport(nanoTime.getAsLong(), isFormed));
  }

  /**
   * Whether this node starts the cluster now: it has waited long enough for a running cluster, and
   * for the seeds before it. A seed with an empty directory gives precedence to seeds with data,
   * which its new cluster would refuse.
   *
   * @param wasFormed whether the node belongs to a cluster that was formed
   */
  public boolean startsCluster(boolean wasFormed) {
    if (wasFormed) {
      return index >= 0
          && others.subList(0, index).stream().noneMatch(this::isFormedAndWaits)
          && (contacts.stream().allMatch(this::isWaitingNow)
              || hasWaited(RESTART_AFTER.plus(STAGGER.multipliedBy(index))));
    }
    return index == 0
        && others.stream().noneMatch(this::isFormedAndWaits)
        && (contacts.stream().allMatch(this::isWaitingNow) || hasWaited(NEW_CLUSTER_AFTER));
  }

  /**
   * Whether the node accepts admission by a member. For {@link #NEW_CLUSTER_AFTER} it accepts only
   * remembered members: a node that gave way to another cluster remembers a member of that cluster,
   * while the seeds may still be in the cluster that it left.
   */
  boolean acceptsAdmissionBy(String address) {
    return remembered.isEmpty() || remembered.contains(address) || hasWaited(NEW_CLUSTER_AFTER);
  }

  private boolean isWaitingNow(String address) {
    return waitingNow(address).isPresent();
  }

  private boolean isFormedAndWaits(String address) {
    return waitingNow(address).map(WaitReport::isFormed).orElse(false);
  }

  private Optional<WaitReport> waitingNow(String address) {
    return Optional.ofNullable(waiting.get(address))
        .filter(known -> nanoTime.getAsLong() - known.atNanos < WAITING_EXPIRES_AFTER.toNanos());
  }

  private boolean hasWaited(Duration time) {
    return nanoTime.getAsLong() - waitStartedNanos > time.toNanos();
  }

  /**
   * Returns the seeds to ask now whether they are in another cluster; none before the next
   * interval.
   *
   * @param reachable the reachable members; an unreachable one may have restarted in another
   *     cluster
   */
  public List<String> takeSeedsToProbe(Set<String> reachable) {
    long nowNanos = nanoTime.getAsLong();
    if (nowNanos - lastProbeNanos < PROBE_INTERVAL.toNanos()) {
      return List.of();
    }
    lastProbeNanos = nowNanos;
    return others.stream().filter(seed -> !reachable.contains(seed)).toList();
  }

  /**
   * Records a node's report about its cluster.
   *
   * @param isTogether whether that cluster is this node's
   * @return whether the node has been in another cluster for long enough
   */
  public boolean updateApart(String address, boolean isTogether) {
    if (isTogether) {
      apart.remove(address);
      return false;
    }
    long nowNanos = nanoTime.getAsLong();
    long firstNanos =
        Optional.ofNullable(apart.get(address))
            .filter(known -> nowNanos - known.lastNanos <= APART_EXPIRES_AFTER.toNanos())
            .map(OtherClusterReports::firstNanos)
            .orElse(nowNanos);
    OtherClusterReports updated = new OtherClusterReports(firstNanos, nowNanos);
    apart.put(address, updated);
    return nowNanos - updated.firstNanos > APART_AFTER.toNanos();
  }
}
