package io.github.stablecut.cluster.internal.membership;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Tracks for which partitions Akka's sharding reaches the owner. While Akka looks for the shard
 * coordinator, or moves an entity, it buffers messages for many seconds or loses them. So requests
 * go directly to a partition's owner until a probe through the entity is answered, and again after
 * any change that may affect that route. Thread-safe.
 */
public final class ShardRoutes {
  /**
   * The time that Akka may take to settle after a partition changed its owner or a node was lost.
   */
  public static final Duration SETTLING = Duration.ofSeconds(30);

  /** A probe without a reply for this long has failed. */
  public static final Duration PROBE_TIMEOUT = Duration.ofSeconds(5);

  /** The most probes in flight. */
  private static final int MAX_PROBES = 100;

  /** Sends a probe: a request whose reply proves that Akka's sharding reaches an owner. */
  @FunctionalInterface
  public interface ProbeSender {
    /**
     * Sends a request to the entity of the owner's partition, which forwards it to the owner.
     *
     * @param number the request number, for {@link #onReply}
     */
    void send(MembershipView.Owner owner, long number);
  }

  private record Probe(int partition, int change, long sentAtNanos) {}

  private final LongSupplier nanoTime;
  private final Map<Integer, Long> changedAtNanos = new ConcurrentHashMap<>();
  private final Set<Integer> proven = ConcurrentHashMap.newKeySet();
  private final Map<Long, Probe> probes = new ConcurrentHashMap<>();
  private final AtomicInteger changeCount = new AtomicInteger();

  public ShardRoutes(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Whether requests for a partition's owner may go to its entity. */
  public boolean isProven(int partition) {
    return proven.contains(partition);
  }

  /** Invalidates the route of a partition that changed its owner. */
  public void ownerChanged(int partition) {
    changeCount.incrementAndGet();
    changedAtNanos.put(partition, nanoTime.getAsLong());
    proven.remove(partition);
  }

  /** Invalidates all routes: a node was lost, perhaps the one with the shard coordinator. */
  public void nodeLost(List<MembershipView.Owner> owners) {
    owners.forEach(owner -> ownerChanged(owner.partition()));
  }

  /** Probes the unproven routes that should have settled. */
  public void tick(List<MembershipView.Owner> owners, LongSupplier numbers, ProbeSender toSend) {
    long nowNanos = nanoTime.getAsLong();
    probes.values().removeIf(tried -> nowNanos - tried.sentAtNanos > PROBE_TIMEOUT.toNanos());
    for (MembershipView.Owner owner : owners) {
      int partition = owner.partition();
      Long sinceNanos = changedAtNanos.get(partition);
      if (probes.size() < MAX_PROBES
          && owner.isReachable()
          && !proven.contains(partition)
          && (sinceNanos == null || nowNanos - sinceNanos > SETTLING.toNanos())
          && probes.values().stream().noneMatch(tried -> tried.partition == partition)) {
        long number = numbers.getAsLong();
        probes.put(number, new Probe(partition, changeCount.get(), nowNanos));
        toSend.send(owner, number);
      }
    }
  }

  /**
   * Handles a reply, perhaps to a probe.
   *
   * @param number the request number
   * @param isFromOwner whether the owner sent it
   */
  public void onReply(long number, boolean isFromOwner) {
    Probe tried = probes.remove(number);
    if (tried != null && isFromOwner) {
      proven.add(tried.partition);
      if (tried.change != changeCount.get()) {
        // The reply may have taken an invalidated route.
        proven.remove(tried.partition);
      }
    }
  }
}
