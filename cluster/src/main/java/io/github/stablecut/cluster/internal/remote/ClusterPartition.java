package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.ClusterStableVector;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.BackupReadRequest;
import io.github.stablecut.internal.partition.ConditionalBatch;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.SnapshotReads;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.ConditionalWrites;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.watch.CommitReadRequest;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A partition of the cluster: the open {@link Partition} if this node owns it, otherwise requests
 * to the owner. Thread-safe.
 */
final class ClusterPartition implements PartitionAccess {
  /** The interval at which snapshot leases are renewed. */
  private static final long RENEW_NANOS = 5_000_000_000L;

  private static final AtomicLong LEASE_IDS = new AtomicLong(new SecureRandom().nextLong());

  /**
   * The parts of a node that its partitions share.
   *
   * @param replicas returns this node's replica of a partition, whichever replica leads; empty if
   *     there is none
   */
  record Node(
      LocalDataCentre local,
      RequestServer server,
      PendingRequests requests,
      MembershipView view,
      NodeClock clock,
      ClusterStableVector arrivals,
      ClockCatchUp clockCatchUp,
      StoreOptions options,
      Executor executor,
      SkippedPartitions lost,
      IntFunction<Optional<PartitionReplica>> replicas) {
    /**
     * Returns the node's present. A snapshot at it includes every commit that this node knows to be
     * acknowledged; later commits of its partitions are above it. From other data centres it
     * includes what all partitions have.
     */
    VectorClock present() {
      return local.with(arrivals.shared().transactions(), clock.now());
    }

    /**
     * Like {@link #present}, but extends to the times up to which all partitions have everything
     * from other data centres, even without a transaction at those times. Tokens from elsewhere
     * name such times.
     */
    VectorClock arrived() {
      return local.with(arrivals.shared().times(), clock.now());
    }
  }

  private final int number;
  private final Node node;
  private final RemotePartition remote;
  private final Map<Long, VectorClock> leases = new ConcurrentHashMap<>();
  private volatile long renewedNanos = System.nanoTime();

  /** The owner's epoch at the last renewal of the leases. */
  private volatile long renewedFor;

  ClusterPartition(int number, Node node) {
    this.number = number;
    this.node = node;
    this.remote = new RemotePartition(number, node);
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public Optional<Partition> local() {
    return node.server.find(number).map(OpenPartition::partition);
  }

  private @Nullable OpenPartition openHere() {
    return node.server.find(number).orElse(null);
  }

  @Override
  public VectorClock stable() {
    return node.arrived();
  }

  @Override
  public VectorClock lastOfOthers() {
    return node.present();
  }

  @Override
  public VectorClock newest() {
    return node.present();
  }

  @Override
  public VectorClock snapshot() {
    return node.present();
  }

  @Override
  public VectorClock snapshotAfter(VectorClock vector) {
    // Requests to other nodes must not be ahead of the clock in any entry.
    node.clockCatchUp.await(LocalDataCentre.floorOf(vector));
    VectorClock received = node.arrived();
    if (!node.local.othersAreAtOrBefore(vector, received)) {
      node.arrivals.announce(node.local.with(vector, 0));
    }
    return received;
  }

  @Override
  public VectorClock now() {
    return node.present();
  }

  @Override
  public VectorClock present(Bytes id) {
    OpenPartition open = openHere();
    return open == null
        ? remote.present(id)
        : open.read(partition -> partition.present(id), () -> remote.present(id));
  }

  @Override
  public OptionalLong near(long contained, Duration atMost) {
    return node.replicas
        .apply(number)
        .map(replica -> replica.near(contained, atMost))
        .orElseGet(OptionalLong::empty);
  }

  @Override
  public VectorClock acknowledged(Bytes id) {
    return present(id);
  }

  @Override
  public VectorClock acknowledged() {
    OpenPartition open = openHere();
    // A deposed leader that does not know it yet asks the other replicas, and learns of it.
    return open == null ? remote.present() : open.read(Partition::sharedNow, remote::present);
  }

  @Override
  public boolean admits(VectorClock snapshot) {
    OpenPartition open = openHere();
    return open == null || open.partition().admits(snapshot);
  }

  @Override
  public void check(VectorClock snapshot) {
    OpenPartition open = openHere();
    if (open != null) {
      open.partition().check(snapshot);
    } else if (isOld(snapshot) && node.view.owner(number).isReachable()) {
      remote.check(snapshot);
    }
  }

  /** Returns whether a snapshot is too old to be retained without a lease. */
  private boolean isOld(VectorClock snapshot) {
    long time = node.local.timeIn(snapshot);
    return Timestamp.epochMillis(node.clock.now()) - Timestamp.epochMillis(time)
        > node.options.maxTransactionAge().toMillis();
  }

  @Override
  public HeldSnapshot hold(VectorClock snapshot) {
    long lease = LEASE_IDS.incrementAndGet();
    if (openHere() == null && !node.lost.reach(number, () -> remote.hold(lease, snapshot))) {
      return () -> {};
    }
    leases.put(lease, snapshot);
    return () -> {
      leases.remove(lease);
      if (openHere() == null) {
        remote.tell(new Request.ReleaseLease(lease));
      }
    };
  }

  @Override
  public @Nullable Version hit(Bytes id, VectorClock snapshot) {
    Partition localPartition = local().orElse(null);
    // Above the stable vector, a cached version is not enough: a commit may still arrive below it.
    return localPartition != null && snapshot.isAtOrBefore(localPartition.stable())
        ? localPartition.hit(id, snapshot)
        : null;
  }

  @Override
  public @Nullable Version folded(Bytes id, VectorClock snapshot) {
    Partition localPartition = local().orElse(null);
    return localPartition == null ? null : localPartition.folded(id, snapshot);
  }

  @Override
  public Optional<CompletionStage<Optional<Version>>> asked(Bytes id, VectorClock snapshot) {
    return openHere() == null && node.replicas.apply(number).isEmpty()
        ? remote.asked(id, snapshot)
        : Optional.empty();
  }

  @Override
  public Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    return versionAt(id, Footprint.whole(), snapshot);
  }

  @Override
  public Optional<Version> versionAt(Bytes id, Footprint part, VectorClock snapshot) {
    return read(
        partition -> partition.versionAt(id, snapshot),
        () -> near(snapshot, reads -> reads.versionAt(id, snapshot)),
        near -> remote.versionAt(id, part, snapshot, near));
  }

  @Override
  public <A> A ask(
      Bytes id, CrdtType<?, ?, ?, ?> type, Question<A> question, VectorClock snapshot) {
    return read(
        partition -> partition.ask(id, type, question, snapshot),
        () ->
            near(
                snapshot,
                reads ->
                    RemotePartition.answer(
                        reads.versionAt(id, snapshot), id, type, question, snapshot)),
        near -> remote.ask(id, type, question, snapshot, near));
  }

  /**
   * Reads a snapshot: here if this node owns the partition, otherwise from the replica here or at
   * the owner, whichever answers first. There may be no owner for a while.
   */
  private <T> T read(
      Function<Partition, T> local,
      Supplier<Optional<T>> near,
      Function<Supplier<Optional<T>>, T> elsewhere) {
    Supplier<T> notHere = () -> near.get().orElseGet(() -> elsewhere.apply(near));
    OpenPartition open = openHere();
    return open == null ? notHere.get() : open.read(local, notHere);
  }

  /**
   * Reads a snapshot from the replica here if the replica knows the snapshot to be complete;
   * otherwise empty. Effects computed from the read carry the frontier up to which the state may
   * have been pruned.
   */
  private <T> Optional<T> near(VectorClock snapshot, Function<SnapshotReads, T> use) {
    return node.replicas
        .apply(number)
        .flatMap(
            replica ->
                replica.read(
                    snapshot,
                    reads -> {
                      T made = use.apply(reads);
                      remote.raise(reads.pruneFrontier(snapshot));
                      return made;
                    }));
  }

  @Override
  public Object downstream(
      Bytes id, CrdtType<?, ?, ?, ?> type, Object operation, OperationContext context) {
    OpenPartition open = openHere();
    return open == null
        ? remote.downstream(id, type, operation, context)
        : open.read(
            partition -> partition.downstream(id, type, operation, context),
            () -> remote.downstream(id, type, operation, context));
  }

  @Override
  public VectorClock pruneFrontier(VectorClock snapshot) {
    OpenPartition open = openHere();
    return open == null
        ? remote.pruneFrontier(snapshot)
        : open.read(
            partition -> partition.pruneFrontier(snapshot), () -> remote.pruneFrontier(snapshot));
  }

  @Override
  public VectorClock commit(CommitRequest request) {
    OpenPartition open = openHere();
    if (open != null) {
      try {
        return open.partition().commit(request);
      } catch (RuntimeException e) {
        checkUnwritten(open, e);
      }
    }
    return remote.commit(request);
  }

  /** Throws the failure of a write unless the write should be sent to the next owner. */
  private void checkUnwritten(OpenPartition open, RuntimeException failure) {
    if (!isUnwritten(open, failure)) {
      throw told(failure);
    }
  }

  private static boolean isUnwritten(OpenPartition open, Throwable failure) {
    return !open.isServing() && !mayBeWritten(failure);
  }

  /** Whether a write that failed may be in the journal. */
  static boolean mayBeWritten(Throwable failure) {
    Throwable cause = cause(failure);
    return !(cause instanceof RuntimeException)
        || cause instanceof JournalFailedException
        || cause instanceof OutcomeUnknownException;
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /**
   * Converts the failure of a write for the caller. If there are other replicas, a failed journal
   * here is not the end of the store, and the next leader may have the write.
   */
  private RuntimeException told(RuntimeException failure) {
    if (!(cause(failure) instanceof JournalFailedException journal)
        || node.replicas.apply(number).isEmpty()) {
      return failure;
    }
    return journal.isUnwritten()
        ? new PartitionUnavailableException(journal.getMessage() + ": try again")
        : new OutcomeUnknownException(
            journal.getMessage() + ": read to find out whether the transaction is committed");
  }

  @Override
  public CompletionStage<Void> settled(CommitRequest.Part part) {
    OpenPartition open = openHere();
    return open == null ? CompletableFuture.completedFuture(null) : open.partition().settled(part);
  }

  @Override
  public CompletionStage<VectorClock> commitAsync(CommitRequest request, Executor executor) {
    OpenPartition open = openHere();
    if (open != null) {
      try {
        return orElsewhere(
            open, request, open.partition().commitAsync(request, executor), executor);
      } catch (RuntimeException e) {
        checkUnwritten(open, e);
      }
    }
    return remote.commitAsync(request, executor);
  }

  @Override
  public boolean takesAtOnce(Key<?> key) {
    OpenPartition open = openHere();
    return open != null && open.partition().takesAtOnce(key);
  }

  @Override
  public Optional<CompletionStage<VectorClock>> commitAtOnce(
      CommitRequest request, Executor executor) {
    OpenPartition open = openHere();
    return open == null
        ? Optional.empty()
        : open.partition()
            .commitAtOnce(request, executor)
            .map(stage -> orElsewhere(open, request, stage, executor));
  }

  /** Commits at the next leader what has certainly not been written here. */
  private CompletionStage<VectorClock> orElsewhere(
      OpenPartition open,
      CommitRequest request,
      CompletionStage<VectorClock> stage,
      Executor executor) {
    return stage.exceptionallyCompose(
        failure ->
            isUnwritten(open, failure)
                ? remote.commitAsync(request, executor)
                : CompletableFuture.failedStage(
                    failure instanceof RuntimeException known ? told(known) : failure));
  }

  @Override
  public void awaitCapacity() {
    local().ifPresent(Partition::awaitCapacity);
  }

  @Override
  public void receive(Message.ToPartition message) {
    OpenPartition open = openHere();
    if (open != null) {
      open.receive(message);
    } else {
      remote.receive(message);
    }
  }

  @Override
  public ConditionalWrites.Outcome writeIf(
      VectorClock claimed,
      Collection<Bytes> ids,
      Function<ConditionalWrites.Latest, Optional<CommitRequest>> body) {
    OpenPartition open = openHere();
    if (open != null) {
      try {
        ConditionalWrites.Outcome outcome = open.partition().writeIf(claimed, ids, body);
        if (outcome.isWritten() || open.isServing()) {
          return outcome;
        }
      } catch (RuntimeException e) {
        checkUnwritten(open, e);
      }
    }
    return remote.writeIf(claimed, List.copyOf(ids), body);
  }

  @Override
  public ConditionalBatch.Result execute(VectorClock claimed, ConditionalBatch batch) {
    OpenPartition open = openHere();
    if (open != null) {
      try {
        ConditionalBatch.Result result = open.partition().execute(claimed, batch);
        if (result.outcome().isWritten() || open.isServing()) {
          return result;
        }
      } catch (RuntimeException e) {
        checkUnwritten(open, e);
      }
    }
    return remote.execute(claimed, batch);
  }

  @Override
  public FoundObjects scan(ScanPlan plan, VectorClock snapshot) {
    return node.lost.has(number)
        ? SkippedPartitions.NO_OBJECTS
        : new RemoteScan(this::page, plan, snapshot);
  }

  /** Reads page by page even locally: the partition may be handed off between two pages. */
  private Reply.Page page(Request.Scan scan) {
    return read(
        partition -> RequestServer.page(partition, scan),
        () -> near(scan.at(), reads -> RequestServer.page(reads::scan, scan)),
        near -> remote.page(scan, near));
  }

  @Override
  public CommitReadRequest.Piece commits(CommitReadRequest reading) {
    OpenPartition open = openHere();
    return open == null
        ? remote.commits(reading)
        : open.read(partition -> partition.commits(reading), () -> remote.commits(reading));
  }

  @Override
  public BackupReadRequest.Piece backup(BackupReadRequest reading) {
    OpenPartition open = openHere();
    return open == null
        ? remote.backup(reading)
        : open.read(partition -> partition.backup(reading), () -> remote.backup(reading));
  }

  /** Renews snapshot leases, and makes a local partition repeat unanswered messages. */
  @Override
  public void tick() {
    OpenPartition open = openHere();
    long epoch = node.view.owner(number).epoch();
    boolean isNewOwner = epoch != renewedFor;
    renewedFor = epoch;
    if (open != null) {
      open.partition().tick();
    } else if (!leases.isEmpty()
        && (isNewOwner || System.nanoTime() - renewedNanos > RENEW_NANOS)) {
      renewedNanos = System.nanoTime();
      leases.forEach((lease, snapshot) -> remote.tell(new Request.HoldLease(lease, snapshot)));
    }
  }

  @Override
  public void checkpoint() {
    OpenPartition open = openHere();
    if (open == null) {
      remote.checkpoint();
    } else {
      open.read(
          partition -> {
            partition.checkpoint();
            return new Reply.Done();
          },
          remote::checkpoint);
    }
  }

  @Override
  public void close() {
    local().ifPresent(Partition::close);
  }
}
