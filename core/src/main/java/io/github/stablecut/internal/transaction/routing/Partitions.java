package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.JointSync;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.Closeables;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.recovery.SyncedFile;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.ManagedBlocking;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.log.Log;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The partitions of a store as a unit: routes objects, chooses snapshots, and commits on one or
 * several partitions. Thread-safe.
 */
public final class Partitions implements AutoCloseable {
  private static final Logger LOG = Log.of(Partitions.class);
  private static final long TICK_MILLIS = 100;

  private final List<PartitionAccess> all;

  /** The only partition, which saves a lookup; null if there are several. */
  private final @Nullable PartitionAccess only;

  private final LocalDataCentre local;
  private final Routing routing;
  private final ActiveSnapshots active;
  private final IntSupplier transactionBytes;
  private final StoreOptions options;

  private final FaultLog faults = new FaultLog();
  private Optional<JointSync> joint = Optional.empty();
  private final StoreCommits commits;
  private final SupervisedThread ticker =
      new SupervisedThread("partitions-tick", this::tickUntilClosed, faults);
  private volatile boolean closing;

  /**
   * @param local the data centre of the partitions
   * @param routing decides which partition an object belongs to
   * @param all by number, started
   * @param active the active snapshots of this process
   * @param transactionBytes as {@link PartitionProvider#transactionBytes}
   */
  private Partitions(
      LocalDataCentre local,
      Routing routing,
      List<PartitionAccess> all,
      ActiveSnapshots active,
      IntSupplier transactionBytes,
      StoreOptions options) {
    this.local = local;
    this.transactionBytes = transactionBytes;
    this.all = List.copyOf(all);
    this.only = all.size() == 1 ? all.get(0) : null;
    this.routing = routing;
    this.active = active;
    this.options = options;
    this.commits = new StoreCommits(this, local, options, this::send, faults);
  }

  /**
   * Opens the partitions of a store in this process.
   *
   * @param identity the identity of the store
   * @param others the numbers of the other data centres
   * @param epoch above that of all earlier openings
   * @param clock the clock of the process
   * @param files the files of each partition; closed with it, and if this throws
   * @param synced how far the last joint sync got
   */
  public static Partitions open(
      StoreIdentity identity,
      Set<Integer> others,
      long epoch,
      HybridClock clock,
      StoreOptions options,
      List<PartitionFiles> files,
      Optional<SyncedFile> synced) {
    ActiveSnapshots active = PartitionSettings.activeSnapshots(options);
    List<Partition> opened = new ArrayList<>();
    Message.Transport transport = (partition, message) -> opened.get(partition).receive(message);
    LocalDataCentre local = identity.dataCentre();
    PartitionContext context =
        PartitionContext.builder(epoch, clock, active, transport)
            .elsewhere(vector -> RemoteEntries.lastOfAll(local, opened, vector))
            .shared(vector -> RemoteEntries.lastOfAll(local, opened, vector))
            .recorded(vector -> RemoteEntries.recordedByAll(local, opened, vector))
            .otherDataCentres(others)
            .build();
    try {
      for (int number = 0; number < files.size(); number++) {
        int partition = number;
        long end = synced.map(file -> file.end(partition)).orElse(JournalOptions.WHOLE);
        opened.add(
            files
                .get(number)
                .open(options.withPartitions(files.size()), local, number, context, end));
      }
    } catch (RuntimeException | Error e) {
      opened.forEach(partition -> Closeables.after(e, partition));
      for (int number = opened.size(); number < files.size(); number++) {
        Closeables.after(e, files.get(number).journal());
      }
      throw e;
    }
    restoreReceivedVector(opened, others);
    Routing routing = new Routing(identity.routing(), files.size());
    Partitions partitions =
        new Partitions(
            local, routing, List.copyOf(opened), active, () -> Integer.MAX_VALUE, options);
    try {
      partitions.start(opened, synced);
      if (files.size() > 1) {
        partitions.start();
      }
      return partitions;
    } catch (RuntimeException | Error e) {
      // The JVM has run out of threads.
      partitions.close();
      throw e;
    }
  }

  /**
   * Restores the progress of idle streams. A partition that received nothing from another data
   * centre does not record how far that stream has come, but transactions that read it recorded
   * that on other partitions. Without this, snapshots would lag until the other data centre sends
   * again.
   */
  private static void restoreReceivedVector(List<Partition> opened, Set<Integer> others) {
    VectorClock read =
        opened.stream()
            .map(partition -> partition.streams().readBefore())
            .reduce(VectorClock.ZERO, VectorClock::join);
    opened.forEach(partition -> partition.streams().isHere(others, read));
  }

  /** Creates the partitions of a store from a provider, local and remote. */
  public static Partitions of(
      StoreIdentity identity, PartitionProvider provider, StoreOptions options) {
    List<PartitionAccess> all = provider.partitions();
    Routing routing = new Routing(identity.routing(), all.size());
    Partitions partitions =
        new Partitions(
            identity.dataCentre(),
            routing,
            all,
            provider.active(),
            provider::transactionBytes,
            options);
    partitions.start();
    return partitions;
  }

  /** Like {@link PartitionProvider#transactionBytes}. */
  public int transactionBytes() {
    return transactionBytes.getAsInt();
  }

  /**
   * Starts the local partitions, with joint syncs if commits are acknowledged before they are
   * synced.
   */
  private void start(List<Partition> opened, Optional<SyncedFile> synced) {
    if (opened.size() > 1 && options.durability() instanceof Durability.Periodic periodic) {
      JointSync jointSync =
          new JointSync(opened, synced.orElseThrow(), periodic.interval(), faults);
      joint = Optional.of(jointSync);
      jointSync.start();
    } else {
      synced.ifPresent(Partitions::endJointSyncs);
      opened.forEach(Partition::start);
    }
  }

  /** Ends joint syncs: opening the journals has synced all their records, so all of them count. */
  private static void endJointSyncs(SyncedFile synced) {
    try {
      synced.delete();
    } catch (IOException e) {
      throw JointSync.failed(e);
    }
  }

  /** Starts the thread that resends unanswered messages. */
  private void start() {
    ticker.start();
  }

  /**
   * Sends a message. An error at a local receiver loses the message and does not affect the sender.
   */
  private void send(int partition, Message.ToPartition message) {
    try {
      all.get(partition).receive(message);
    } catch (RuntimeException | Error e) {
      faults.add("the exchange of messages", e);
    }
  }

  /** Ticks until closed. Survives every error, because nothing else resends messages. */
  private void tickUntilClosed() {
    while (!closing) {
      try {
        tick();
      } catch (RuntimeException | Error e) {
        LOG.error("resending unanswered messages failed and will be retried", e);
      }
      try {
        Thread.sleep(TICK_MILLIS);
      } catch (InterruptedException e) {
        // Only close ends this thread, through the flag.
      }
    }
  }

  /** Resends unanswered messages. */
  private void tick() {
    all.forEach(partition -> tick(partition::tick));
    commits.tick(this::tick);
  }

  /** Runs one tick; a failure delays it to the next tick and does not affect the others. */
  private void tick(Runnable one) {
    try {
      one.run();
    } catch (RuntimeException | Error e) {
      faults.add("thread partitions-tick", e);
    }
  }

  /** The failures that the partitions survived, one sentence each. */
  List<String> problems() {
    List<String> problems = new ArrayList<>(commits.problems());
    problems.addAll(faults.describe());
    return problems;
  }

  /** Commits on these partitions. */
  public StoreCommits commits() {
    return commits;
  }

  public List<PartitionAccess> all() {
    return all;
  }

  /** The partitions in this process. */
  public List<Partition> local() {
    return all.stream().flatMap(partition -> partition.local().stream()).toList();
  }

  /** Whether nothing was ever written to any partition, as far as this process knows. */
  public boolean isNew() {
    return local().size() == all.size() && areLocalNew();
  }

  /** Whether nothing was ever written to the partitions in this process. */
  public boolean areLocalNew() {
    return local().stream()
        .map(Partition::streams)
        .allMatch(
            streams -> streams.lastOwn() == 0 && streams.lastOfAll().equals(VectorClock.ZERO));
  }

  /** The number of partitions. */
  public int size() {
    return all.size();
  }

  /** The partition of an object. */
  public PartitionAccess of(Bytes id) {
    PartitionAccess known = only;
    return known == null ? all.get(routing.partition(id)) : known;
  }

  /** The partition with the newest commit. */
  private PartitionAccess newestPartition() {
    PartitionAccess newest = all.get(0);
    for (int i = 1; i < all.size(); i++) {
      if (local.timeIn(newest.newest()) < local.timeIn(all.get(i).newest())) {
        newest = all.get(i);
      }
    }
    return newest;
  }

  /**
   * Returns a vector at or above all acknowledged commits. Its entries for other data centres are
   * those of the last transactions that all partitions have.
   */
  public VectorClock newest() {
    PartitionAccess known = only;
    return RemoteEntries.lastOfAll(
        local, all, known == null ? newestPartition().newest() : known.stable());
  }

  /** Lowers the vector of a read to the newest commit of all partitions. */
  public VectorClock reached(VectorClock present) {
    return local.lower(present, local.timeIn(newestPartition().newest()));
  }

  /** Like {@link #newest}, but at most about a second old. */
  public VectorClock snapshot() {
    return RemoteEntries.lastOfAll(local, all, newestPartition().snapshot());
  }

  /**
   * Returns a vector that all partitions have reached. The entry of this data centre advances to
   * the present if that is needed to reach the given vector. The entries of other data centres are
   * times, whether or not there was a transaction.
   */
  public VectorClock snapshotAfter(VectorClock vector) {
    return RemoteEntries.toAll(local, all, newestPartition().snapshotAfter(vector));
  }

  /**
   * Returns a snapshot that this process can read from its own replicas. Partitions without a local
   * replica are read at their leaders.
   *
   * @param contained an issued point that the snapshot must contain; waited for
   * @throws ReadTimeoutException if a local replica does not reach it in time
   */
  public VectorClock nearest(VectorClock contained) {
    return ManagedBlocking.during(
        () -> {
          VectorClock now = snapshot().join(contained);
          // Sends the requests to all partitions first, then waits for one after the other.
          for (PartitionAccess partition : all) {
            partition.near(0, Duration.ZERO);
          }
          long least = local.timeIn(now);
          for (PartitionAccess partition : all) {
            least = Math.min(least, near(partition, local.timeIn(contained)).orElse(least));
          }
          return local.lower(now, least);
        });
  }

  private OptionalLong near(PartitionAccess partition, long contained) {
    Duration timeout = options.timeouts().read();
    OptionalLong near = partition.near(contained, timeout);
    if (near.isPresent() && near.getAsLong() < contained) {
      throw new ReadTimeoutException(
          "the replica of partition %d on this node has all commits until %s and did not reach %s within %s: retry, or take the snapshot from the leaders"
              .formatted(
                  partition.number(),
                  Timestamp.format(near.getAsLong()),
                  Timestamp.format(contained),
                  DurationWords.of(timeout)));
    }
    return near;
  }

  /** The time of the partitions, which never decreases. */
  public Instant now() {
    return Instant.ofEpochMilli(
        all.stream()
            .mapToLong(partition -> Timestamp.epochMillis(local.timeIn(partition.now())))
            .max()
            .orElseThrow());
  }

  /** Registers the newest snapshot for a transaction. */
  public ActiveSnapshots.Registration begin() {
    return begin(VectorClock.ZERO);
  }

  /** Registers the newest snapshot, however old it is; empty if that has to be retried. */
  public Optional<ActiveSnapshots.Registration> beginAtOnce() {
    ActiveSnapshots.Registration registration = active.register(newest());
    if (admit(registration.snapshot())) {
      return Optional.of(registration);
    }
    registration.end();
    return Optional.empty();
  }

  /** Registers the newest snapshot that contains a vector. */
  public ActiveSnapshots.Registration begin(VectorClock contained) {
    while (true) {
      ActiveSnapshots.Registration registration = active.register(snapshot().join(contained));
      if (admit(registration.snapshot())) {
        return registration;
      }
      registration.end();
    }
  }

  /** Registers a snapshot that another node has chosen and registered. */
  public ActiveSnapshots.Registration claim(VectorClock snapshot) {
    return active.register(snapshot);
  }

  private boolean admit(VectorClock snapshot) {
    // Without an iterator, as each transaction comes here.
    for (int i = 0; i < all.size(); i++) {
      if (!all.get(i).admits(snapshot)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Registers an old snapshot until the registration is ended.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   */
  public PartitionAccess.HeldSnapshot pin(VectorClock snapshot) {
    List<PartitionAccess.HeldSnapshot> activeSnapshots = new ArrayList<>(all.size());
    ActiveSnapshots.Registration registration = active.pin(snapshot);
    PartitionAccess.HeldSnapshot all =
        () -> {
          registration.end();
          Closeables.each(activeSnapshots, PartitionAccess.HeldSnapshot::end);
        };
    try {
      check(snapshot);
      this.all.forEach(partition -> activeSnapshots.add(partition.hold(snapshot)));
      return all;
    } catch (RuntimeException | Error e) {
      all.end();
      throw e;
    }
  }

  /**
   * Checks that a snapshot may be read now.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   */
  public void check(VectorClock snapshot) {
    all.forEach(partition -> partition.check(snapshot));
  }

  /**
   * The objects of a range at a snapshot.
   *
   * @param snapshot registered by the caller until the scan is closed
   */
  public FoundObjects scan(ScanPlan plan, VectorClock snapshot) {
    List<PartitionAccess> scanned = of(plan.range());
    return scanned.size() == 1
        ? scanned.get(0).scan(plan, snapshot)
        : MergedScan.open(scanned, plan, snapshot);
  }

  /** The partitions that may have objects of a range. */
  public List<PartitionAccess> of(IdRange range) {
    OptionalInt only = routing.partition(range);
    return only.isPresent() ? List.of(all.get(only.getAsInt())) : all;
  }

  /** The active snapshots of this process, of open transactions and pins. */
  public ActiveSnapshots activeSnapshots() {
    return active;
  }

  /** Makes a checkpoint of each partition. */
  public void checkpoint() {
    all.forEach(PartitionAccess::checkpoint);
  }

  /** Ends joint syncs after the partitions are closed. */
  private @Nullable Throwable endJoint(@Nullable Throwable failure) {
    try {
      joint.ifPresent(JointSync::close);
      if (failure == null) {
        joint.ifPresent(JointSync::endInOrder);
      }
      return failure;
    } catch (RuntimeException | Error e) {
      return failure == null ? e : failure;
    }
  }

  /** Makes submitted records durable, closes all partitions, and fails the remaining commits. */
  @Override
  public void close() {
    closing = true;
    @Nullable Throwable failure = null;
    for (PartitionAccess partition : all) {
      try {
        partition.close();
      } catch (RuntimeException | Error e) {
        failure = e;
      }
    }
    failure = endJoint(failure);
    commits.close();
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
