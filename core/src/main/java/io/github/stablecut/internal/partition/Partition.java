package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointStatus;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.cache.VersionCache;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.JournalReplay;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.internal.partition.commit.CommitBlockedException;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Committer;
import io.github.stablecut.internal.partition.commit.ConditionalWrites;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.ObjectTypeCheck;
import io.github.stablecut.internal.partition.commit.PartitionCommits;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.commit.PartitionState;
import io.github.stablecut.internal.partition.commit.PendingCommits;
import io.github.stablecut.internal.partition.commit.Sequencer;
import io.github.stablecut.internal.partition.commit.StableTime;
import io.github.stablecut.internal.partition.twophase.TwoPhaseCommit;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.truncation.Watermarks;
import io.github.stablecut.internal.watch.CommitReadRequest;
import io.github.stablecut.internal.watch.CommitReaders;
import io.github.stablecut.internal.watch.CommitSource;
import io.github.stablecut.journal.GroupCommitter;
import io.github.stablecut.journal.JournalStatus;
import io.github.stablecut.journal.SyncPolicy;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.key.Key;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A set of objects with one owner: a journal, checkpoints, an index, a clock. Thread-safe. Reads at
 * or below the stable vector take no lock and never wait; reads above it, which occur only in
 * stores of several partitions, wait for undecided and non-durable transactions on the same object.
 */
public final class Partition implements PartitionAccess {
  private final PartitionAssembly parts;
  private final PartitionOptions options;
  private final PartitionState state;
  private final Committer committer;
  private final Function<CommitRequest, Optional<Long>> submission;
  private final StableTime times;
  private final ObjectTypeCheck types;
  private final SnapshotReads reads;
  private final PendingCommits pending;
  private final ConditionalWrites conditional;
  private final TwoPhaseCommit twoPhase;
  private final Horizon horizon;
  private final CommitReaders readings;
  private final BackupReaders backups;
  private final CheckpointStore checkpoints;
  private final Maintenance maintenance;
  private @Nullable GroupCommitter journalThread;

  /**
   * Opens a partition; returns after the recovery from its journal.
   *
   * @param journalFiles the journal's files; closed with the partition, and if this throws
   * @param checkpointFiles the checkpoints' files
   */
  public static Partition open(
      PartitionOptions options,
      PartitionContext context,
      SegmentStore journalFiles,
      Directory checkpointFiles) {
    return new Partition(PartitionAssembly.open(options, context, journalFiles, checkpointFiles));
  }

  /** A partition whose files are open and whose journal is completely applied. */
  public static Partition of(PartitionOptions options, PartitionContext context, PartitionLog log) {
    return new Partition(PartitionAssembly.of(options, context, log));
  }

  private Partition(PartitionAssembly parts) {
    this.parts = parts;
    this.options = parts.options;
    this.state = parts.state;
    this.committer = parts.committer;
    this.submission = parts.committer::submit;
    this.times = parts.committer.times();
    this.types = parts.types;
    this.reads = parts.reads;
    this.pending = parts.pending;
    this.conditional = parts.conditional;
    this.twoPhase = parts.twoPhase;
    this.horizon = parts.horizon;
    this.checkpoints = parts.checkpoints;
    this.maintenance = parts.maintenance;
    this.readings = new CommitReaders(commits());
    this.backups = new BackupReaders(parts.ofBackups());
  }

  /**
   * Starts the threads that flush groups and make checkpoints.
   *
   * @throws IllegalStateException if its journal needs joint syncs with other partitions
   */
  public void start() {
    if (options.journal().sync() instanceof SyncPolicy.Joint) {
      throw new IllegalStateException(
          "a partition with joint syncs needs the store's JointSync to start");
    }
    start(() -> {}, this::awaitSynced);
  }

  /** Like {@link #start()}, for a partition with joint syncs. */
  void start(JointSync joint) {
    start(joint::written, joint::sync);
  }

  private void start(Runnable whenUnsynced, Runnable beforeCheckpoints) {
    committer.useFlushingThread();
    parts.background.start();
    GroupCommitter groups =
        GroupCommitter.start(committer.journal(), options.journal().sync(), whenUnsynced);
    journalThread = groups;
    committer.setGroups(groups);
    maintenance.syncsBy(beforeCheckpoints);
    // Starts the grace period during which everything that others may need is retained.
    horizon.minDependency(VectorClock.ZERO);
    maintenance.start();
  }

  /** Waits until written records are synced, if the policy announces them before. */
  private void awaitSynced() {
    if (options.journal().sync() instanceof SyncPolicy.Periodic) {
      try {
        syncJournal().join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof StablecutException known) {
          throw known;
        }
        throw e;
      }
    }
  }

  /** See {@link GroupCommitter#sync}; only after {@link #start}. */
  CompletableFuture<Void> syncJournal() {
    return Objects.requireNonNull(journalThread).sync();
  }

  /** See {@link GroupCommitter#synced}. */
  void synced(long next, long startNanos) {
    Objects.requireNonNull(journalThread).synced(next, startNanos);
  }

  /** See {@link GroupCommitter#isUnsynced}. */
  boolean isUnsynced() {
    return Objects.requireNonNull(journalThread).isUnsynced();
  }

  Sequencer sequencer() {
    return committer.sequencer();
  }

  /**
   * Makes submitted records durable and visible. Only without {@link #start}: one thread then does
   * everything.
   */
  public void flushGroup() {
    committer.journal().flushGroup();
  }

  /** Whether submitted records wait for {@link #flushGroup}. */
  public boolean hasQueued() {
    return committer.journal().hasQueued();
  }

  /** Like {@link Committer#flushBy}; only without {@link #start}. */
  public void flushBy(Runnable flushing) {
    committer.flushBy(flushing);
  }

  /** Makes a checkpoint, truncates and merges runs, on the caller's thread. */
  public Optional<StablecutException> maintain() {
    return maintenance.work();
  }

  /** Whether {@link #versionAt} would not wait; makes the snapshot stable if possible. */
  public boolean isSettled(Bytes id, VectorClock snapshot) {
    return pending.isComplete(id, snapshot);
  }

  @Override
  public int number() {
    return options.number();
  }

  /** The vector of the last durable commit, or a later one. */
  @Override
  public VectorClock stable() {
    return times.stable();
  }

  /**
   * The present: a snapshot that includes all commits here before this call, acknowledged or not.
   * Reads at it wait for those that are not durable.
   */
  @Override
  public VectorClock now() {
    return times.now();
  }

  /** Like {@link #now}, with only those commits of other data centres that all partitions have. */
  public VectorClock sharedNow() {
    committer.confirm();
    return parts.shared(now());
  }

  @Override
  public VectorClock acknowledged(Bytes id) {
    return acknowledged();
  }

  @Override
  public VectorClock acknowledged() {
    return parts.shared(times.newest());
  }

  @Override
  public VectorClock lastOfOthers() {
    return parts.committer.times().lastOfOthers();
  }

  @Override
  public VectorClock newest() {
    return times.newest();
  }

  /**
   * A snapshot that includes all commits here before this call and is at most about a second old.
   * Without commits, it occasionally waits for a sync of the journal.
   */
  @Override
  public VectorClock snapshot() {
    if (times.isOld()) {
      advance();
    }
    return times.newest();
  }

  /** The newest snapshot, advanced to the present first if that is needed to reach a vector. */
  @Override
  @CanIgnoreReturnValue
  public VectorClock snapshotAfter(VectorClock vector) {
    if (!vector.isAtOrBefore(times.newest())) {
      advance();
    }
    return snapshot();
  }

  private void advance() {
    try {
      committer.promise(times.now());
    } catch (ReopenException e) {
      // A failed journal can't promise a later time. Reads continue at the current one.
    }
  }

  /**
   * Advances the stable vector to the present, unless a transaction is undecided or a record has to
   * become durable first. Does not wait.
   */
  public VectorClock passTime() {
    try {
      committer.tryPromise(times.now());
    } catch (ReopenException e) {
      // As in advance().
    }
    return times.stable();
  }

  @Override
  public VectorClock present(Bytes id) {
    // Another partition may acknowledge a commit before this one learns of it. Afterwards the
    // present includes it.
    pending.awaitUnannounced(id);
    return sharedNow();
  }

  @Override
  public Optional<Partition> local() {
    return Optional.of(this);
  }

  @Override
  public HeldSnapshot hold(VectorClock snapshot) {
    return () -> {};
  }

  @Override
  public boolean admits(VectorClock snapshot) {
    return horizon.admits(snapshot);
  }

  @Override
  public void check(VectorClock snapshot) {
    horizon.check(snapshot);
  }

  @Override
  public @Nullable Version hit(Bytes id, VectorClock snapshot) {
    return reads.hit(id, snapshot);
  }

  /**
   * The result of {@link #versionAt}, if the version is in memory and known to be complete without
   * a wait; otherwise null. Neither waits nor reads a disk.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   */
  public @Nullable Version hitNow(Bytes id, VectorClock snapshot) {
    if (!snapshot.isAtOrBefore(stable()) && !pending.isCompleteNow(id, snapshot)) {
      return null;
    }
    Version hit = reads.hit(id, snapshot);
    Version found = hit == null ? reads.folded(id, snapshot) : hit;
    if (found != null) {
      horizon.check(snapshot);
    }
    return found;
  }

  @Override
  public @Nullable Version folded(Bytes id, VectorClock snapshot) {
    if (!snapshot.isAtOrBefore(stable())) {
      return null;
    }
    Version folded = reads.folded(id, snapshot);
    if (folded != null) {
      horizon.check(snapshot);
    }
    return folded;
  }

  @Override
  public Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    return reads.versionAt(id, snapshot);
  }

  @Override
  public Object downstream(
      Bytes id, CrdtType<?, ?, ?, ?> type, Object operation, OperationContext context) {
    return reads.use(
        id,
        context.snapshot(),
        version ->
            CallTypes.downstream(
                type,
                operation,
                version.isPresent() ? version.get().stateAs(type, id) : type.initial(),
                context));
  }

  /**
   * The frontier at which a state visible to a snapshot may have been pruned; effects made from the
   * state carry it.
   */
  @Override
  public VectorClock pruneFrontier(VectorClock snapshot) {
    return reads.pruneFrontier(snapshot);
  }

  @Override
  @CanIgnoreReturnValue
  public VectorClock commit(CommitRequest request) {
    boolean isSubmitted = false;
    try {
      types.check(request);
      Optional<Long> executed;
      request.promiseHelp();
      try {
        executed = submit(request);
        isSubmitted = true;
      } finally {
        committer.help();
      }
      if (executed.isPresent()) {
        return repeated(executed.get());
      }
      request.await();
      return request.commit().vector();
    } catch (OutOfMemoryError e) {
      throw failure(isSubmitted, e);
    }
  }

  /** The exception of a commit for which memory has run out. */
  private StablecutException failure(boolean isSubmitted, OutOfMemoryError error) {
    if (isSubmitted) {
      return new OutcomeUnknownException(
          "there was too little memory to wait for a commit on partition %d (%s): read to find out whether it was committed, and give the JVM more memory"
              .formatted(options.number(), error));
    }
    if (committer.hasFailed()) {
      // The error may have occurred in the middle of the commit, which fails the journal.
      committer.journal().ensureWritable(0);
    }
    return UnexpectedFailureException.of(
        "the transaction was not committed on partition %d".formatted(options.number()), error);
  }

  private Optional<Long> submit(CommitRequest request) {
    try {
      return twoPhase.heldBack().retry(request, submission);
    } catch (ConflictException e) {
      pending.awaitWinner(request);
      throw e;
    }
  }

  @Override
  public CompletionStage<Void> settled(CommitRequest.Part part) {
    return part.certified().isEmpty()
        ? CompletableFuture.completedFuture(null)
        : twoPhase.heldBack().release(CommitRequest.unsent(part));
  }

  @Override
  public void awaitCapacity() {
    committer.awaitCapacity();
  }

  private VectorClock repeated(long time) {
    pending.awaitRequest(time);
    return parts.shared(times.seenAt(time));
  }

  @Override
  public CompletionStage<VectorClock> commitAsync(CommitRequest request, Executor executor) {
    types.check(request);
    CompletionStage<Void> stage = request.completeOn(executor);
    return twoPhase
        .heldBack()
        .retryAsync(request, () -> submitAsync(request, stage, executor), executor);
  }

  @Override
  public boolean takesAtOnce(Key<?> key) {
    return committer.hasCapacity() && types.isInMemory(key.id(), key.type());
  }

  @Override
  public Optional<CompletionStage<VectorClock>> commitAtOnce(
      CommitRequest request, Executor executor) {
    if (!committer.hasCapacity() || !types.areInMemory(request)) {
      return Optional.empty();
    }
    // Created first, so that nothing can fail after the commit.
    Optional<CompletionStage<VectorClock>> seen =
        Optional.of(request.completeOn(executor).thenApply(done -> request.commit().vector()));
    try {
      return committer.sequencer().tryCommit(request) ? seen : Optional.empty();
    } catch (CommitBlockedException e) {
      return Optional.empty();
    }
  }

  private CompletionStage<VectorClock> submitAsync(
      CommitRequest request, CompletionStage<Void> stage, Executor executor) {
    Optional<Long> executed = committer.submit(request);
    return executed.isPresent()
        ? CompletableFuture.supplyAsync(() -> repeated(executed.get()), executor)
        : stage.thenApply(done -> request.commit().vector());
  }

  /** The number of the data centre whose transactions it commits. */
  public int dataCentre() {
    return options.local().number();
  }

  @Override
  public ConditionalWrites.Outcome writeIf(
      VectorClock claimed,
      Collection<Bytes> ids,
      Function<ConditionalWrites.Latest, Optional<CommitRequest>> body) {
    return conditional.execute(claimed, ids, body);
  }

  @Override
  public ConditionalBatch.Result execute(VectorClock claimed, ConditionalBatch batch) {
    return batch.executeOn(this, claimed);
  }

  /** The conditional writes of this partition. */
  public ConditionalWrites conditional() {
    return conditional;
  }

  @Override
  public void receive(Message.ToPartition message) {
    twoPhase.receive(message);
  }

  @Override
  public void tick() {
    twoPhase.tick();
    backups.tick();
  }

  /** The prepared transactions whose outcome is unknown here. */
  public List<TransactionId> inDoubt() {
    return state.prepared().inDoubt();
  }

  @Override
  public void checkpoint() {
    maintenance.checkpoint();
  }

  /** Makes its checkpoints and truncates its journal. */
  public Maintenance maintenance() {
    return maintenance;
  }

  /** Waits until a snapshot is complete and immutable here, on all objects. */
  public void awaitComplete(VectorClock snapshot) {
    pending.awaitComplete(snapshot);
  }

  /**
   * Records the clock's current time in the journal, like {@link #close}: the clock of the next
   * opening starts there and not at the ceiling.
   *
   * @throws ReopenException if the journal has failed
   */
  public void endClock() {
    committer.sequencer().endClock();
  }

  private void tryToEndClock() {
    try {
      endClock();
    } catch (ReopenException e) {
      // The journal has failed or is closed; the next clock starts at the ceiling.
    }
  }

  /** The number of open transactions that this partition coordinates. */
  public int openTransactions() {
    return twoPhase.openTransactions();
  }

  /** A view of the checkpoints, which keeps their files until it is closed. */
  public CheckpointView checkpoints() {
    return checkpoints.view();
  }

  /** A time above all times that this partition has issued. */
  public long clockCeiling() {
    return committer.clockCeiling();
  }

  @Override
  public FoundObjects scan(ScanPlan plan, VectorClock snapshot) {
    return reads.scan(plan, snapshot);
  }

  /** The streams between it and its peers in other data centres. */
  public PartitionStreams streams() {
    return parts.streams;
  }

  /** Its commits, for watches. */
  public CommitSource commits() {
    return new PartitionCommits(committer, horizon);
  }

  @Override
  public CommitReadRequest.Piece commits(CommitReadRequest reading) {
    return readings.read(reading);
  }

  @Override
  public BackupReadRequest.Piece backup(BackupReadRequest reading) {
    return backups.read(reading);
  }

  /** The five times of the report, with their invariants checked. */
  public Watermarks watermarks() {
    return parts.watermarks();
  }

  /** A version source that replays the whole journal: the simplest one, and very slow. */
  public VersionSource replay() {
    return new JournalReplay(committer.journal());
  }

  /** The number of objects in memory. */
  public int objects() {
    return state.index().size();
  }

  /**
   * Whether more replicas may become voters: the present voters have everything that the leader did
   * without replicas.
   */
  public boolean isAnnouncementCommitted() {
    return parts.isAnnouncementCommitted();
  }

  /**
   * Returns the reason why it accepts no commits until it is reopened; empty if it accepts them.
   */
  public Optional<String> failure() {
    return committer.journal().failure();
  }

  /** Current failures, and past ones that the partition survived, one sentence each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>(maintenance.problems());
    problems.addAll(parts.faults.describe());
    problems.addAll(types.problems());
    if (parts.hasLostTail) {
      problems.add(
          "the journal of partition %d ended in a way that no interrupted write causes when it was opened: the disk may have damaged the last acknowledged transactions (the log has the location); check the disk, and the newest data"
              .formatted(number()));
    }
    return problems;
  }

  /** Figures of the journal. */
  public JournalStatus journalStatus() {
    return committer.journal().status();
  }

  /** Figures of the checkpoints. */
  public CheckpointStatus checkpointStatus() {
    return checkpoints.status();
  }

  /** Figures of the cache. */
  public VersionCache cache() {
    return parts.cache;
  }

  private void closeThreads(GroupCommitter running) {
    try {
      maintenance.close();
      tryToEndClock();
    } finally {
      running.close();
    }
  }

  /** Makes submitted records durable and closes everything; remaining waits fail. */
  @Override
  public void close() {
    GroupCommitter running = journalThread;
    try {
      if (running == null) {
        committer.journal().close();
      } else {
        closeThreads(running);
      }
    } finally {
      closeOthers();
    }
  }

  private void closeOthers() {
    try {
      pending.close();
      twoPhase.heldBack().close();
      parts.background.close();
    } finally {
      backups.close();
      checkpoints.close();
    }
  }
}
