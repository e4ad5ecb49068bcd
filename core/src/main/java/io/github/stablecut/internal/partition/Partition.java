package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointStatus;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.View;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.cache.VersionCache;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.BackgroundFolding;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.JournalReplay;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.materializer.ObjectScan;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.thread.BackgroundExecutor;
import io.github.stablecut.internal.thread.Faults;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.truncation.Watermarks;
import io.github.stablecut.internal.watch.CommitSource;
import io.github.stablecut.journal.GroupCommitter;
import io.github.stablecut.journal.JournalStatus;
import io.github.stablecut.journal.SegmentStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A set of objects with one owner: a journal, checkpoints, an index, a clock. Thread-safe. Reads at
 * or below the stable vector take no lock and never wait; reads above it, which occur only in
 * stores of several partitions, wait for undecided and non-durable transactions on the same object.
 */
public final class Partition implements PartitionAccess {
  private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

  private final PartitionOptions options;
  private final ObjectIndex index;
  private final PartitionState state;
  private final Faults faults = new Faults();
  private final BackgroundExecutor background;
  private final CheckpointStore checkpoints;
  private final Committer committer;
  private final Sequencer sequencer;
  private final StableTime times;
  private final ObjectTypes types;
  private final TwoPhaseCommit twoPhase;
  private final Horizon horizon;
  private final VersionCache cache;
  private final Materializer versions;
  private final PendingCommits pending;
  private final ConditionalWrites conditional;
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
      Surroundings surroundings,
      SegmentStore journalFiles,
      Directory checkpointFiles) {
    try {
      return open(
          options,
          surroundings,
          journalFiles,
          openCheckpoints(options, journalFiles, checkpointFiles));
    } catch (RuntimeException | Error e) {
      closeAfter(e, journalFiles);
      throw e;
    }
  }

  private static Partition open(
      PartitionOptions options,
      Surroundings surroundings,
      SegmentStore journalFiles,
      CheckpointStore checkpoints) {
    try {
      return new Partition(options, surroundings, journalFiles, checkpoints);
    } catch (RuntimeException | Error e) {
      closeAfter(e, checkpoints);
      throw e;
    }
  }

  private static void closeAfter(Throwable cause, AutoCloseable opened) {
    try {
      opened.close();
    } catch (Exception | Error e) {
      cause.addSuppressed(e);
    }
  }

  private static CheckpointStore openCheckpoints(
      PartitionOptions options, SegmentStore journalFiles, Directory checkpointFiles) {
    List<Integer> present = journalFiles.segments();
    try {
      return CheckpointStore.open(
          checkpointFiles, options.checkpoints().options(), present.isEmpty() ? 1 : present.get(0));
    } catch (IOException e) {
      throw new StoreIoException(
          "the checkpoints can't be read: %s; remove the cause, and open the store again"
              .formatted(IoReason.of(e)),
          e);
    }
  }

  private Partition(
      PartitionOptions options,
      Surroundings surroundings,
      SegmentStore journalFiles,
      CheckpointStore checkpoints) {
    this.options = options;
    this.background = new BackgroundExecutor("background-" + options.number(), faults);
    this.checkpoints = checkpoints;
    this.index = new ObjectIndex(options.memory().index().isOn());
    Manifest manifest = checkpoints.status().manifest();
    // Files have everything up to it, for every readable snapshot.
    index.beginAfter(manifest.lowWatermark().join(manifest.historyTime()));
    this.state =
        new PartitionState(
            index,
            new SessionTable(options.waits().sessionLifetime()),
            manifest.checkpointTime(),
            options.foldAfter());
    this.horizon =
        new Horizon(
            surroundings.active(),
            surroundings.elsewhere(),
            state.prepared()::minSnapshot,
            this::passThrough,
            manifest.lowWatermark());
    this.committer =
        new Committer(
            options,
            new Committer.Parts(horizon, surroundings.clock(), state),
            journalFiles,
            manifest);
    this.sequencer = committer.sequencer();
    this.times = committer.times();
    checkpoints.start(change -> {});
    checkpoints
        .status()
        .problems()
        .forEach(
            problem ->
                LOG.warn(
                    "partition {}: passed over, nothing is lost: {}", options.number(), problem));
    horizon.recover(pruneFrontier(VectorClock.of(Long.MAX_VALUE)));
    this.types = new ObjectTypes(index, times, this::versionAt);
    this.twoPhase = new TwoPhaseCommit(options, surroundings, sequencer, types::check, faults);
    twoPhase.recover(horizon.low());
    times.begin();
    this.cache = VersionCache.of(options.memory().cache(), index);
    this.versions = new Materializer(index, cache, checkpoints, committer.journal());
    this.pending = new PendingCommits(options, committer);
    this.conditional =
        new ConditionalWrites(
            committer, pending, versions, twoPhase.heldBack(), new Turns(options.waits().commit()));
    this.maintenance =
        Maintenance.of(
            new Maintenance.Parts(
                index, versions, checkpoints, committer.journal(), state.segments(), horizon),
            new Maintenance.Times(
                times::lastComplete,
                committer::clockCeiling,
                this::watermarks,
                surroundings.clock().machine()),
            new Maintenance.Needs(this::oldestNeeded, this::beforeTruncation),
            new Maintenance.Setup(
                options.number(),
                options.checkpoints().policy(),
                options.waits().commit(),
                Runtime.getRuntime().maxMemory(),
                faults));
    committer.tell(maintenance);
    if (cache.keeps() && options.memory().index().foldAfter() > 0) {
      committer.tell(new BackgroundFolding(versions, times::stable, background));
    }
  }

  private void passThrough() {
    sequencer.passThrough();
  }

  /** Starts the threads that flush groups and make checkpoints. */
  public void start() {
    committer.threadStarts();
    background.start();
    journalThread = GroupCommitter.start(committer.journal(), options.journal().sync());
    maintenance.start();
  }

  private long oldestNeeded() {
    return Math.min(state.prepared().oldestNeeded(), twoPhase.oldestNeeded());
  }

  private void beforeTruncation(VectorClock low) {
    twoPhase.forgetThrough(low);
    committer.saveSessions();
  }

  /**
   * Makes submitted records durable and visible. Only without {@link #start}: one thread then does
   * everything.
   */
  public void flushGroup() {
    var unused = committer.journal().flushGroup();
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
   * The present: a snapshot that includes all commits here before this call, acknowledged or not;
   * reads at it wait for those that are not durable.
   */
  @Override
  public VectorClock now() {
    return times.now();
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

  /** The newest snapshot, after moving on to the present if that is needed to reach a vector. */
  @Override
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

  @Override
  public VectorClock present(Bytes id) {
    // Another partition may acknowledge a commit before this one learns of it. Afterwards the
    // present includes it.
    pending.awaitUnannounced(id);
    return now();
  }

  @Override
  public Optional<Partition> local() {
    return Optional.of(this);
  }

  @Override
  public Claim hold(VectorClock snapshot) {
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
    return versions.hit(id, snapshot);
  }

  @Override
  public Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    if (!snapshot.isAtOrBefore(times.stable())) {
      pending.awaitComplete(id, snapshot);
    }
    Optional<Version> version;
    try {
      version = versions.versionAt(id, snapshot);
    } catch (RuntimeException e) {
      // If truncation overtook the read, report that.
      horizon.check(snapshot);
      throw e;
    }
    horizon.check(snapshot);
    return version;
  }

  /**
   * The frontier at which a state that a snapshot sees may have been pruned; effects made from the
   * state carry it.
   */
  @Override
  public VectorClock pruneFrontier(VectorClock snapshot) {
    try (View view = checkpoints.view()) {
      return view.newestAt(snapshot).map(Checkpoint::pruneFrontier).orElse(VectorClock.ZERO);
    }
  }

  @Override
  public VectorClock commit(CommitRequest request) {
    types.check(request);
    Optional<Long> executed = submit(request);
    if (executed.isPresent()) {
      return repeated(executed.get());
    }
    request.await();
    return request.commit().vector();
  }

  private Optional<Long> submit(CommitRequest request) {
    try {
      return twoPhase.heldBack().retry(request, () -> committer.submit(request));
    } catch (ConflictException e) {
      pending.awaitWinner(request);
      throw e;
    }
  }

  @Override
  public void awaitCapacity() {
    committer.awaitCapacity();
  }

  private VectorClock repeated(long time) {
    pending.awaitRequest(time);
    return VectorClock.of(time);
  }

  @Override
  public CompletionStage<VectorClock> commitAsync(CommitRequest request, Executor executor) {
    types.check(request);
    CompletionStage<Void> stage = request.completeOn(executor);
    return twoPhase
        .heldBack()
        .retryAsync(request, () -> submitAsync(request, stage, executor), executor);
  }

  private CompletionStage<VectorClock> submitAsync(
      CommitRequest request, CompletionStage<Void> stage, Executor executor) {
    Optional<Long> executed = committer.submit(request);
    return executed.isPresent()
        ? CompletableFuture.supplyAsync(() -> repeated(executed.get()), executor)
        : stage.thenApply(done -> request.commit().vector());
  }

  @Override
  public ConditionalWrites.Outcome writeIf(
      VectorClock claimed,
      Collection<Bytes> ids,
      Function<ConditionalWrites.Latest, Optional<CommitRequest>> body) {
    return conditional.execute(claimed, ids, body);
  }

  /** Conditional writes of this partition, step by step. */
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
   * Records the clock's current time in the journal, as {@link #close} does: the clock of the next
   * opening begins there and not at the ceiling.
   *
   * @throws ReopenException if the journal has failed
   */
  public void endClock() {
    sequencer.endClock();
  }

  private void tryToEndClock() {
    try {
      endClock();
    } catch (ReopenException e) {
      // The journal has failed or is closed; the next clock begins at the ceiling.
    }
  }

  /** The number of open transactions that this partition coordinates. */
  public int openTransactions() {
    return twoPhase.openTransactions();
  }

  /** A view of the checkpoints, which keeps their files until it is closed. */
  public View checkpoints() {
    return checkpoints.view();
  }

  /** A time above all that this partition has reported. */
  public long clockCeiling() {
    return committer.clockCeiling();
  }

  @Override
  public FoundObjects scan(ScanPlan plan, VectorClock snapshot) {
    pending.awaitComplete(snapshot);
    return new ObjectScan(index, versions, checkpoints, plan, snapshot);
  }

  /** Its commits, for watches. */
  public CommitSource commits() {
    return new PartitionCommits(committer, horizon);
  }

  /** The five times of the report, with their invariants checked. */
  public Watermarks watermarks() {
    VectorClock low = horizon.low();
    VectorClock checkpointTime = checkpoints.status().manifest().checkpointTime();
    VectorClock complete = times.lastComplete();
    VectorClock newest = times.stable();
    return new Watermarks(
        low, checkpointTime, complete, minDependency(newest, low), sequencer.lastCommit());
  }

  /**
   * The oldest snapshot in use. A claim is published before it is checked, so a claim below the low
   * watermark is about to be refused.
   */
  private VectorClock minDependency(VectorClock newest, VectorClock low) {
    return horizon.minDependency(newest).join(low);
  }

  /** A version source that replays the whole journal: the simplest one, and very slow. */
  public VersionSource replay() {
    return new JournalReplay(committer.journal());
  }

  /** The number of objects in memory. */
  public int objects() {
    return index.size();
  }

  /** Why it accepts no commits until it is reopened; empty if it does. */
  public Optional<String> failure() {
    return committer.journal().failure();
  }

  /** Current failures, and past ones that it survived, one sentence each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>(maintenance.problems());
    problems.addAll(faults.describe());
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
    return cache;
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
      pending.close();
      twoPhase.heldBack().close();
      background.close();
    }
    checkpoints.close();
  }
}
