package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.transaction.EmbeddedReplication;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * This node's part when its cluster leaves a group of data centres. The node that executes the
 * command keeps renewing its request that all others take no transactions. If it stops, they take
 * transactions again, unless the cluster is out of its group by then. Thread-safe.
 */
public final class GroupLeave {
  private static final long CLOSED_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final Duration CALL = Duration.ofSeconds(1);

  private final Supplier<List<OpenPartition>> open;
  private final Supplier<Optional<EmbeddedReplication>> replication;
  private final LongSupplier nanoTime;

  /** The times at which partitions here accept transactions again, by number. Guarded by this. */
  private final Map<Integer, Long> closed = new HashMap<>();

  /**
   * @param open the partitions of this node
   * @param replication the replication with other data centres
   */
  GroupLeave(
      Supplier<List<OpenPartition>> open,
      Supplier<Optional<EmbeddedReplication>> replication,
      LongSupplier nanoTime) {
    this.open = open;
    this.replication = replication;
    this.nanoTime = nanoTime;
  }

  private Optional<OpenPartition> find(int partition) {
    return open.get().stream().filter(one -> one.partition().number() == partition).findFirst();
  }

  /** Makes a partition take no transactions for a while: the reply to {@link Request.CloseOwn}. */
  public synchronized Reply close(int partition) {
    Optional<OpenPartition> found = find(partition);
    if (found.isEmpty() || replication.get().isEmpty()) {
      return new Reply.Failed(
          new PartitionUnavailableException(
              "partition %d is no longer on this node".formatted(partition)));
    }
    closed.put(partition, nanoTime.getAsLong() + CLOSED_NANOS);
    return replication
        .get()
        .get()
        .prepareToLeave(found.get().partition())
        .<Reply>map(why -> new Reply.Failed(new PartitionUnavailableException(why)))
        .orElseGet(Reply.Done::new);
  }

  /** Takes transactions again where the leave has not been renewed in time. */
  public void tick() {
    replication
        .get()
        .filter(EmbeddedReplication::takesPart)
        .ifPresent(member -> openToCommits(member, nanoTime.getAsLong()));
  }

  private synchronized void openToCommits(EmbeddedReplication member, long nowNanos) {
    closed
        .entrySet()
        .removeIf(
            one -> {
              boolean isOver = nowNanos - one.getValue() > 0;
              if (isOver) {
                find(one.getKey()).map(OpenPartition::partition).ifPresent(member::openToCommits);
              }
              return isOver;
            });
  }

  /**
   * Makes all partitions of other nodes take no transactions for a while.
   *
   * @param self the name of this node
   * @return why the cluster can't leave yet
   */
  static Optional<String> lacking(String self, MembershipView view, PendingRequests requests) {
    long startedNanos = System.nanoTime();
    List<MembershipView.Owner> before = view.owners();
    for (MembershipView.Owner owner : before) {
      if (!owner.node().equals(self)) {
        try {
          requests.callNode(owner.node(), owner.partition(), new Request.CloseOwn(), CALL);
        } catch (StablecutException e) {
          return Optional.of(
              "node %s with partition %d says: %s"
                  .formatted(owner.node(), owner.partition(), e.getMessage()));
        }
      }
    }
    boolean areSame =
        before.stream().allMatch(owner -> view.owner(owner.partition()).epoch() == owner.epoch());
    if (!areSame) {
      return Optional.of("partitions are moving");
    }
    return System.nanoTime() - startedNanos < CLOSED_NANOS / 2
        ? Optional.empty()
        : Optional.of("its nodes answer too slowly");
  }
}
