package io.github.stablecut.cluster.internal.membership;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Whether Akka brings what is for a partition to its owner. While it looks for the node that knows
 * where entities are, or moves one, it keeps what it is given for many seconds, or loses it. So a
 * partition's owner is asked directly until a request by way of the entity was answered, and again
 * after everything that may have changed that way. Thread-safe.
 */
public final class ShardRoutes {
  /** So long after a partition got another owner, or a node was lost, Akka may be at work. */
  public static final Duration SETTLING = Duration.ofSeconds(30);

  /** A try that is not answered for so long has failed. */
  public static final Duration PATIENCE = Duration.ofSeconds(5);

  /** So many are tried at once. */
  private static final int MAX_TRIES = 100;

  /** Sends a request whose reply proves that Akka's sharding finds the owner of a partition. */
  @FunctionalInterface
  public interface Try {
    /**
     * Sends a request to the entity of the owner's partition, which passes it to the owner.
     *
     * @param number the number of the request, for {@link #answer}
     */
    void send(MembershipView.Owner owner, long number);
  }

  private record Tried(int partition, int change, long nanos) {}

  private final LongSupplier nanoTime;
  private final Map<Integer, Long> changed = new ConcurrentHashMap<>();
  private final Set<Integer> proven = ConcurrentHashMap.newKeySet();
  private final Map<Long, Tried> tries = new ConcurrentHashMap<>();
  private final AtomicInteger changes = new AtomicInteger();

  public ShardRoutes(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Whether what is for a partition's owner may be given to its entity. */
  public boolean isProven(int partition) {
    return proven.contains(partition);
  }

  /** A partition got another owner. */
  public void changed(int partition) {
    var unused = changes.incrementAndGet();
    var unusedToo = changed.put(partition, nanoTime.getAsLong());
    boolean unusedAsWell = proven.remove(partition);
  }

  /** A node was lost, perhaps the one that knows where entities are. */
  public void lost(List<MembershipView.Owner> owners) {
    owners.forEach(owner -> changed(owner.partition()));
  }

  /** Tries the ways that are not proven and should be there. */
  public void tick(List<MembershipView.Owner> owners, LongSupplier numbers, Try toSend) {
    long now = nanoTime.getAsLong();
    tries.values().removeIf(tried -> now - tried.nanos > PATIENCE.toNanos());
    for (MembershipView.Owner owner : owners) {
      int partition = owner.partition();
      Long since = changed.get(partition);
      if (tries.size() < MAX_TRIES
          && owner.isReachable()
          && !proven.contains(partition)
          && (since == null || now - since > SETTLING.toNanos())
          && tries.values().stream().noneMatch(tried -> tried.partition == partition)) {
        long number = numbers.getAsLong();
        var unused = tries.put(number, new Tried(partition, changes.get(), now));
        toSend.send(owner, number);
      }
    }
  }

  /**
   * An answer has come, to a try perhaps.
   *
   * @param isFromOwner whether the owner has answered the try
   */
  public void answer(long number, boolean isFromOwner) {
    Tried tried = tries.remove(number);
    if (tried != null && isFromOwner) {
      boolean unused = proven.add(tried.partition);
      if (tried.change != changes.get()) {
        // It may have come by the way that was there before.
        boolean unusedToo = proven.remove(tried.partition);
      }
    }
  }
}
