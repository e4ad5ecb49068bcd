package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.recovery.DataCentreFiles;
import io.github.stablecut.internal.recovery.FencedDirectory;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.replication.GlobalStableVector;
import io.github.stablecut.internal.transaction.routing.ReplicationHost;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A node as part of a data centre. The owner of partition 0 acts for the cluster: it assigns
 * numbers to new data centres, and gives others the addresses of the nodes. Thread-safe.
 */
final class NodeReplicationHost implements ReplicationHost {
  /**
   * The interval of recording arrivals: another data centre's transaction is visible once all
   * journals record its arrival.
   */
  private static final long RECORD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The interval at which the other nodes are notified of arrivals. */
  private static final long TELL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final Duration KEPT_PATIENCE = Duration.ofSeconds(10);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int ACTING = 0;

  private final String name;
  private final NodeDirectory directory;
  private final NodeDataCentre known;
  private final MembershipView view;
  private final Supplier<Optional<String>> lacking;
  private final Duration age;
  private final Runnable changed;
  private final AtomicLong notifiedAtNanos = new AtomicLong(System.nanoTime());

  /**
   * @param name this node's name
   * @param known the known state of the data centre
   * @param lacking why other nodes do not let the data centre leave its group yet
   * @param age transactions of other nodes that began earlier than this have ended
   * @param changed called when there is something to gossip
   */
  NodeReplicationHost(
      String name,
      NodeDirectory directory,
      NodeDataCentre known,
      MembershipView view,
      Supplier<Optional<String>> lacking,
      Duration age,
      Runnable changed) {
    this.name = name;
    this.directory = directory;
    this.known = known;
    this.view = view;
    this.lacking = lacking;
    this.age = age;
    this.changed = changed;
  }

  @Override
  public StoreIdentity identity() {
    return NodeDirectory.identity(directory.plan().orElseThrow());
  }

  @Override
  public boolean isCluster() {
    return true;
  }

  @Override
  public void save(Membership membership) {
    directory.dataCentre().save(membership);
    changed.run();
  }

  @Override
  public DataCentreFiles files() {
    return directory.dataCentre();
  }

  @Override
  public Directory checkpoints(int partition) {
    try {
      return new FencedDirectory(
          DiskDirectory.open(directory.checkpoints(partition)), directory.lock());
    } catch (IOException e) {
      throw new StoreIoException(
          "the checkpoints of partition %d can't be read: %s; remove the cause, and try again"
              .formatted(partition, IoReason.of(e)),
          e);
    }
  }

  @Override
  public long openingAt(long time) {
    return 0;
  }

  @Override
  public GlobalStableVector arrivals() {
    return new GlobalStableVector() {
      @Override
      public void recorded(int partition, VectorClock recorded) {
        notifySoon();
      }

      @Override
      public VectorClock ofAll() {
        return known.arrivals().transactionsBefore(age);
      }

      @Override
      public boolean isAwaited(VectorClock recorded, VectorClock reached) {
        return !identity().dataCentre().othersAreAtOrBefore(known.arrivals().last(), recorded)
            || known.arrivals().isAwaited(recorded, reached);
      }

      @Override
      public long intervalNanos() {
        return RECORD_NANOS;
      }
    };
  }

  private void notifySoon() {
    long nowNanos = System.nanoTime();
    long before = notifiedAtNanos.get();
    if (nowNanos - before >= TELL_NANOS && notifiedAtNanos.compareAndSet(before, nowNanos)) {
      changed.run();
    }
  }

  private boolean isActing() {
    return view.owner(ACTING).node().equals(name);
  }

  @Override
  public Optional<List<String>> addresses(String own) {
    if (!isActing()) {
      return Optional.empty();
    }
    TreeSet<String> all = new TreeSet<>(List.of(own));
    known.told().values().stream()
        .map(GossipedDataCentres::address)
        .filter(address -> !address.isEmpty())
        .forEach(all::add);
    return Optional.of(List.copyOf(all));
  }

  @Override
  public Optional<String> admitsElsewhere() {
    return isActing() ? Optional.empty() : addressOf(ACTING);
  }

  @Override
  public Optional<String> addressOf(int partition) {
    return Optional.ofNullable(known.told().get(view.owner(partition).node()))
        .map(GossipedDataCentres::address)
        .filter(address -> !address.isEmpty());
  }

  @Override
  public void wasShared(VectorClock snapshot) {
    known.wasRead(identity().dataCentre(), snapshot);
  }

  @Override
  public boolean areOthersNew() {
    return view.owners().stream()
        .filter(owner -> !owner.node().equals(name))
        .allMatch(
            owner ->
                Optional.ofNullable(known.told().get(owner.node())).stream()
                    .flatMap(told -> told.partitions().stream())
                    .filter(arrived -> arrived.partition() == owner.partition())
                    .anyMatch(arrived -> arrived.transactions().equals(VectorClock.ZERO)));
  }

  @Override
  public Optional<String> lackingElsewhere() {
    return lacking.get();
  }

  @Override
  public void awaitKept(Membership membership) {
    long deadlineNanos = System.nanoTime() + KEPT_PATIENCE.toNanos();
    Optional<String> problem = problem(membership);
    while (problem.isPresent()) {
      if (System.nanoTime() - deadlineNanos > 0 || Thread.currentThread().isInterrupted()) {
        throw new ReplicationRefusedException(
            "no data centre can join now, because all nodes of this one must retain what it needs: %s, after %s"
                .formatted(problem.get(), DurationWords.of(KEPT_PATIENCE)));
      }
      LockSupport.parkNanos(this, POLL_NANOS);
      problem = problem(membership);
    }
  }

  private Optional<String> problem(Membership membership) {
    if (!isActing()) {
      return Optional.of(
          "node %s owns partition %d, which admits data centres, but is unreachable"
              .formatted(view.owner(ACTING).node(), ACTING));
    }
    for (MembershipView.Owner owner : view.owners()) {
      if (!owner.isReachable()) {
        return Optional.of(
            "node %s with partition %d can't be reached"
                .formatted(owner.node(), owner.partition()));
      }
    }
    return view.nodes().keySet().stream()
        .filter(node -> !node.equals(name) && !keeps(node, membership))
        .findFirst()
        .map(node -> "node %s does not know of it".formatted(node));
  }

  private boolean keeps(String node, Membership membership) {
    return Optional.ofNullable(known.told().get(node))
        .flatMap(GossipedDataCentres::group)
        .filter(told -> told.members().keySet().containsAll(membership.members().keySet()))
        .isPresent();
  }
}
