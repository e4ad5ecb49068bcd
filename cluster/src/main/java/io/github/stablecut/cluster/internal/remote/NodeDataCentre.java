package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.cluster.internal.membership.ClusterStableVector;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.transaction.EmbeddedReplication;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * The cluster as one of several data centres, as far as this node knows: the transactions that all
 * partitions have received, and the group. The nodes gossip both. Thread-safe.
 */
public final class NodeDataCentre {
  private static final Duration GROUP_PATIENCE = Duration.ofSeconds(30);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final NodeDirectory directory;
  private final boolean isReplicating;
  private final Executor executor;
  private final ClusterStableVector stableVector = new ClusterStableVector(System::nanoTime);
  private final FaultLog faults = new FaultLog();

  /** The last state that each other node reported, by name. */
  private final Map<String, GossipedDataCentres> reportedStates = new ConcurrentHashMap<>();

  private final AtomicBoolean isLearning = new AtomicBoolean();

  /** The group as other nodes reported it. */
  private volatile Optional<Membership> reportedGroup = Optional.empty();

  private volatile Optional<EmbeddedStore> store = Optional.empty();

  /**
   * @param isReplicating whether this node exchanges transactions with other data centres
   * @param executor has one thread, which makes state durable
   */
  NodeDataCentre(NodeDirectory directory, boolean isReplicating, Executor executor) {
    this.directory = directory;
    this.isReplicating = isReplicating;
    this.executor = executor;
  }

  ClusterStableVector arrivals() {
    return stableVector;
  }

  /** Records that a transaction of another node has read at a snapshot: the snapshot was shared. */
  void wasRead(LocalDataCentre local, VectorClock snapshot) {
    if (!local.othersAreAtOrBefore(snapshot, stableVector.shared().transactions())) {
      stableVector.recordSnapshot(local.with(snapshot, 0));
    }
  }

  /** Sets the store once it serves. */
  void opened(EmbeddedStore opened) {
    store = Optional.of(opened);
  }

  /**
   * Returns the replication with other data centres; empty until the store serves, and if there is
   * none.
   */
  Optional<EmbeddedReplication> replication() {
    return store.flatMap(EmbeddedStore::replication);
  }

  /** Returns the last report of each node, by name. */
  Map<String, GossipedDataCentres> told() {
    return reportedStates;
  }

  /**
   * Returns the state that this node gossips.
   *
   * @param open its partitions
   * @param partitions the number of the cluster's partitions
   */
  Optional<GossipedDataCentres> facts(List<OpenPartition> open, int partitions) {
    List<GossipedDataCentres.PartitionProgress> progress = new ArrayList<>();
    open.forEach(one -> progress.add(arrived(one.partition())));
    stableVector.recordProgress(progress, partitions);
    return isReplicating
        ? Optional.of(
            new GossipedDataCentres(
                replication().map(EmbeddedReplication::address).orElse(""),
                group(),
                stableVector.shared(),
                progress,
                stableVector.awaitedHere()))
        : Optional.empty();
  }

  private GossipedDataCentres.PartitionProgress arrived(Partition partition) {
    LocalDataCentre local = new LocalDataCentre(partition.dataCentre());
    // The times are read first: the last transaction up to them is known by then.
    VectorClock times = local.with(partition.streams().recorded(), 0);
    return new GossipedDataCentres.PartitionProgress(
        partition.number(),
        times,
        local.with(partition.lastOfOthers(), partition.streams().lastOwn()));
  }

  /**
   * Accounts for a partition that is opened here. Its checkpoints, and its promises to other data
   * centres, are at or below what snapshots have had.
   */
  void opened(Partition partition) {
    try (CheckpointView view = partition.checkpoints()) {
      LocalDataCentre local = new LocalDataCentre(partition.dataCentre());
      stableVector.recordSnapshot(
          local.with(view.manifest().checkpointTime().join(partition.streams().promised()), 0));
    }
    replication().ifPresent(there -> there.opened(partition));
  }

  /** A partition is about to be closed while the node keeps running. */
  public void closing(int partition) {
    replication().ifPresent(there -> there.closing(partition));
  }

  /** Returns the group, as far as this node knows; empty if it knows of none. */
  Optional<Membership> group() {
    return replication()
        .map(EmbeddedReplication::known)
        .or(() -> reportedGroup)
        .or(() -> directory.plan().isEmpty() ? Optional.empty() : directory.dataCentre().group());
  }

  /**
   * Returns the group with which the node starts, made durable. A new node of a cluster that has
   * joined others learns the group from the other nodes.
   *
   * @return empty if the cluster has never been one of several data centres
   * @throws ReplicationRefusedException if the node does not learn the group in time
   */
  Optional<Membership> awaitGroup(LocalDataCentre local) {
    long deadlineNanos = System.nanoTime() + GROUP_PATIENCE.toNanos();
    Optional<Membership> known = durableAndHeard();
    while (known.isEmpty() && !local.equals(LocalDataCentre.FIRST)) {
      if (System.nanoTime() - deadlineNanos > 0 || Thread.currentThread().isInterrupted()) {
        throw new ReplicationRefusedException(
            "the cluster is data centre %d, but no node has reported its group within %s: start the other nodes first"
                .formatted(local.number(), DurationWords.of(GROUP_PATIENCE)));
      }
      LockSupport.parkNanos(this, POLL_NANOS);
      known = durableAndHeard();
    }
    known
        .filter(group -> !directory.dataCentre().group().equals(Optional.of(group)))
        .ifPresent(directory.dataCentre()::save);
    return known;
  }

  private Optional<Membership> durableAndHeard() {
    Optional<Membership> durable = directory.dataCentre().group();
    return reportedGroup.map(told -> durable.map(told::with).orElse(told)).or(() -> durable);
  }

  /**
   * Returns the numbers of the other data centres, whose transactions and needs a partition
   * respects.
   */
  Set<Integer> others(LocalDataCentre local) {
    return group().map(Membership::members).map(Map::keySet).orElse(Set.of()).stream()
        .filter(number -> number != local.number())
        .collect(Collectors.toSet());
  }

  /** Merges the state that another node gossips. Does not block. */
  public void heard(GossipedNodeState facts) {
    if (facts.dataCentre().isEmpty()) {
      reportedStates.remove(facts.name());
      return;
    }
    GossipedDataCentres known = facts.dataCentre().get();
    reportedStates.put(facts.name(), known);
    if (stableVector.merge(known)) {
      replication().ifPresent(EmbeddedReplication::onActivity);
    }
    known.group().ifPresent(this::hear);
  }

  private void hear(Membership group) {
    try {
      reportedGroup = Optional.of(reportedGroup.map(before -> before.with(group)).orElse(group));
    } catch (IllegalArgumentException e) {
      faults.add("reading other nodes' reports about the data centres", e);
    }
    if (replication()
            .map(EmbeddedReplication::known)
            .filter(known -> !known.equals(reportedGroup.get()))
            .isPresent()
        && isLearning.compareAndSet(false, true)) {
      try {
        executor.execute(this::learn);
      } catch (RejectedExecutionException e) {
        // The node will report it again.
        isLearning.set(false);
      }
    }
  }

  private void learn() {
    isLearning.set(false);
    try {
      replication().ifPresent(there -> reportedGroup.ifPresent(there::learn));
    } catch (IllegalArgumentException e) {
      faults.add("reading other nodes' reports about the data centres", e);
    }
  }

  /** Returns the problems that were survived, one sentence each. */
  public List<String> problems() {
    return faults.describe();
  }
}
