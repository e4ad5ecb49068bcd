package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.internal.cache.VersionCache;
import io.github.stablecut.internal.materializer.BackgroundFolding;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.partition.commit.Closeables;
import io.github.stablecut.internal.partition.commit.Committer;
import io.github.stablecut.internal.partition.commit.ConditionalWrites;
import io.github.stablecut.internal.partition.commit.ObjectLocks;
import io.github.stablecut.internal.partition.commit.ObjectTypeCheck;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.commit.PartitionState;
import io.github.stablecut.internal.partition.commit.PendingCommits;
import io.github.stablecut.internal.partition.commit.SavedRecord;
import io.github.stablecut.internal.partition.commit.StableTime;
import io.github.stablecut.internal.partition.twophase.TwoPhaseCommit;
import io.github.stablecut.internal.record.CheckpointRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.thread.BackgroundExecutor;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.truncation.MaintenanceSetup;
import io.github.stablecut.internal.truncation.ReplicaCheckpointAgreement;
import io.github.stablecut.internal.truncation.Watermarks;
import io.github.stablecut.journal.LogReplicas;
import io.github.stablecut.journal.segment.SegmentStore;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Assembles a partition: opens its files, recovers its state, and connects its parts. Starts no
 * threads. Thread-safe.
 */
final class PartitionAssembly {
  final PartitionOptions options;
  final FaultLog faults = new FaultLog();
  final BackgroundExecutor background;
  final CheckpointStore checkpoints;
  final PartitionState state;
  final Horizon horizon;
  final Committer committer;
  final VersionCache cache;
  final PendingCommits pending;
  final SnapshotReads reads;
  final ObjectTypeCheck types;
  final TwoPhaseCommit twoPhase;
  final ConditionalWrites conditional;
  final Maintenance maintenance;
  final PeerWatermarks counterparts;
  final PartitionStreams streams;

  /** Whether the opening may have lost acknowledged records permanently. */
  final boolean hasLostTail;

  private final LongSupplier nanoTime;

  /** The last checkpoint announced to the other replicas. */
  private volatile Optional<CheckpointRecord> lastAnnounced = Optional.empty();

  /**
   * Announces a checkpoint that was made while there were no other replicas; empty if none is
   * needed.
   */
  private Optional<SavedRecord> firstAnnouncement = Optional.empty();

  /** Like {@link Partition#open}. */
  static PartitionAssembly open(
      PartitionOptions options,
      PartitionContext context,
      SegmentStore journalFiles,
      Directory checkpointFiles) {
    return of(options, context, PartitionLog.open(options, journalFiles, checkpointFiles));
  }

  /** The parts of a partition whose files are open; closes them if this throws. */
  static PartitionAssembly of(
      PartitionOptions options, PartitionContext context, PartitionLog log) {
    try {
      return new PartitionAssembly(options, context, log);
    } catch (RuntimeException | Error e) {
      Closeables.after(e, log::close);
      throw e;
    }
  }

  private PartitionAssembly(PartitionOptions options, PartitionContext context, PartitionLog log) {
    this.options = options;
    this.nanoTime = context.nanoTime();
    this.background = new BackgroundExecutor("background-" + options.number(), faults);
    this.checkpoints = log.checkpoints();
    // Replicas report such a loss themselves, and recover the records from others.
    this.hasLostTail = log.isTailDropped() && log.journal().replicas() == LogReplicas.NONE;
    Manifest manifest = checkpoints.status().manifest();
    this.state = log.state();
    this.horizon =
        new Horizon(
            context.active(),
            context.elsewhere(),
            context.shared(),
            state.prepared()::minSnapshot,
            this::passThrough,
            manifest.lowWatermark());
    this.committer =
        new Committer(
            options,
            new Committer.Components(horizon, context.clock(), lastInCheckpoint()),
            log,
            manifest);
    log.start();
    recoverFrontier();
    StableTime times = committer.times();
    this.cache = log.cache();
    Materializer versions = log.versions();
    this.pending = new PendingCommits(options, committer);
    this.reads = new SnapshotReads(state.index(), pending, checkpoints, versions, horizon);
    this.types = new ObjectTypeCheck(options.local(), state.index(), times, reads);
    this.twoPhase =
        new TwoPhaseCommit(options, context, committer.sequencer(), types::check, faults);
    twoPhase.recover(horizon.low());
    times.begin();
    this.conditional =
        new ConditionalWrites(
            committer,
            pending,
            versions,
            twoPhase.heldBack(),
            types,
            new ObjectLocks(options.waits().commit()));
    this.counterparts = new PeerWatermarks(context.otherDataCentres());
    this.streams =
        new PartitionStreams(committer, horizon, counterparts, context.clock().machine());
    this.maintenance = maintenance(versions, context);
    announceOwn();
    committer.setMaintenance(maintenance);
    if (cache.keeps() && options.memory().index().foldAfter() > 0) {
      committer.setFolding(new BackgroundFolding(versions, times::stable, background));
    }
  }

  /** The last transactions of all data centres in the newest checkpoint. */
  private VectorClock lastInCheckpoint() {
    try (CheckpointView view = checkpoints.view()) {
      return view.checkpoints().stream().findFirst().map(Checkpoint::last).orElse(VectorClock.ZERO);
    }
  }

  /**
   * Recovers the prune frontier. Transactions begin at or above the frontiers of local checkpoints,
   * those announced to other replicas, and what other data centres were promised.
   */
  private void recoverFrontier() {
    horizon.recover(state.times().promised());
    lastAnnounced = state.announced();
    state
        .announced()
        .map(announced -> announced.frontier().join(announced.low()))
        .ifPresent(horizon::recover);
    try (CheckpointView view = checkpoints.view()) {
      view.checkpoints().stream()
          .findFirst()
          .map(Checkpoint::pruneFrontier)
          .ifPresent(horizon::recover);
    }
  }

  /**
   * Announces the newest local checkpoint if the log lacks it, as when it was made while there were
   * no other replicas. Does not block: {@link #isAnnouncementCommitted} reports when it is
   * committed.
   */
  private void announceOwn() {
    if (committer.journal().replicas() == LogReplicas.NONE) {
      return;
    }
    try (CheckpointView view = checkpoints.view()) {
      view.checkpoints().stream()
          .findFirst()
          .filter(own -> !isAnnounced(own.pruneFrontier().join(horizon.low())))
          .ifPresent(
              own ->
                  firstAnnouncement =
                      Optional.of(append(announcement(own.at(), own.pruneFrontier(), own.last()))));
    }
  }

  /**
   * Whether the announcement that new voters must know is committed. A leader without it would
   * accept transactions that began below the frontier of a local checkpoint.
   */
  boolean isAnnouncementCommitted() {
    return firstAnnouncement.filter(one -> !one.hasOutcome()).isEmpty();
  }

  private boolean isAnnounced(VectorClock frontier) {
    return lastAnnounced
        .filter(announced -> frontier.isAtOrBefore(announced.frontier().join(announced.low())))
        .isPresent();
  }

  /** Announces a checkpoint to the other replicas, and waits until a majority knows it. */
  private void announce(Checkpoint checkpoint) {
    if (committer.journal().replicas() == LogReplicas.NONE) {
      return;
    }
    CheckpointRecord announcement =
        announcement(checkpoint.at(), checkpoint.pruneFrontier(), checkpoint.last());
    committer.record(new SavedRecord(RecordKind.CHECKPOINT, announcement.encode()));
    lastAnnounced = Optional.of(announcement);
  }

  private CheckpointRecord announcement(VectorClock at, VectorClock frontier, VectorClock last) {
    CheckpointRecord own =
        new CheckpointRecord(
            at,
            frontier,
            horizon.low(),
            last,
            committer.journal().firstRecord(),
            committer.clockCeiling());
    return lastAnnounced.map(own::after).orElse(own);
  }

  /** The announced prune frontier of what is complete at a vector. */
  private VectorClock announcedFrontier(VectorClock at) {
    return lastAnnounced
        .filter(announced -> announced.at().isAtOrBefore(at))
        .map(CheckpointRecord::frontier)
        .orElse(VectorClock.ZERO);
  }

  /**
   * Announces the last checkpoint again if this replica has dropped something since. Does not
   * block: it may fail to commit because replicas lack disk space.
   */
  private void announceTruncation() {
    Optional<CheckpointRecord> last = lastAnnounced;
    boolean hasDropped =
        last.isPresent()
            && (!horizon.low().isAtOrBefore(last.get().low())
                || committer.journal().firstRecord() > last.get().oldest());
    if (hasDropped) {
      append(announcement(last.get().at(), last.get().frontier(), last.get().last()));
    }
  }

  @CanIgnoreReturnValue
  private SavedRecord append(CheckpointRecord announcement) {
    SavedRecord record = new SavedRecord(RecordKind.CHECKPOINT, announcement.encode());
    committer.append(record);
    lastAnnounced = Optional.of(announcement);
    return record;
  }

  private Maintenance maintenance(Materializer versions, PartitionContext context) {
    return Maintenance.of(
        new MaintenanceSetup(
            new MaintenanceSetup.Components(
                state.index(),
                versions,
                checkpoints,
                committer.journal(),
                state.segments(),
                horizon),
            new MaintenanceSetup.Times(
                () -> recorded(context, committer.times().lastComplete()),
                committer.times()::lastFor,
                counterparts::limitFrontier,
                committer::clockCeiling,
                this::watermarks,
                context.clock().machine()),
            new MaintenanceSetup.Needs(
                this::oldestNeeded, this::beforeTruncation, counterparts::limitTruncation),
            new MaintenanceSetup.Settings(
                options.number(),
                options.checkpoints().policy(),
                options.waits().commit(),
                Runtime.getRuntime().maxMemory(),
                faults)),
        ReplicaCheckpointAgreement.followedBy(
            this::announce, this::announceTruncation, this::announcedFrontier));
  }

  /**
   * A vector with the entries of other data centres lowered to what all partitions have even after
   * a restart: a checkpoint must not be above later snapshots.
   */
  private VectorClock recorded(PartitionContext context, VectorClock vector) {
    LocalDataCentre local = options.local();
    VectorClock recordedHere = local.lowerOthers(vector, committer.times().recorded());
    return local.lowerOthers(recordedHere, context.recorded().apply(recordedHere));
  }

  private void passThrough() {
    committer.sequencer().passThrough();
  }

  private long oldestNeeded() {
    long byTransactions = Math.min(state.prepared().oldestNeeded(), twoPhase.oldestNeeded());
    return Math.min(byTransactions, committer.journal().oldestNeededByReplicas());
  }

  private void beforeTruncation(VectorClock low) {
    twoPhase.forgetThrough(low);
    Optional<SavedRecord> repeated = streams.repeated();
    repeated.ifPresent(committer::append);
    // Usually in the same group.
    committer.saveSessions();
    repeated.ifPresent(committer::await);
  }

  /** The parts that backups read. */
  BackupReaders.Components ofBackups() {
    return new BackupReaders.Components(
        options.local(),
        committer.journal(),
        checkpoints,
        pending,
        horizon,
        committer::clockCeiling,
        nanoTime);
  }

  /** A vector with the entries of other data centres lowered to what snapshots have. */
  VectorClock shared(VectorClock vector) {
    return horizon.shared(options.local(), vector);
  }

  /** The five times of the report, with their invariants checked. */
  Watermarks watermarks() {
    VectorClock low = horizon.low();
    VectorClock checkpointTime = checkpoints.status().manifest().checkpointTime();
    VectorClock complete = committer.times().lastComplete();
    // An active snapshot is registered before it is checked, so one below the low watermark is
    // about to be refused.
    VectorClock minDependency = horizon.minDependency(committer.times().stable()).join(low);
    return new Watermarks(
        low,
        checkpointTime,
        complete,
        minDependency,
        committer.sequencer().lastCommit().join(complete));
  }
}
