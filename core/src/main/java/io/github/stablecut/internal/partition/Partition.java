package io.github.stablecut.internal.partition;

import io.github.stablecut.StoreIoException;
import io.github.stablecut.TypeMismatchException;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointStatus;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.View;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.cache.VersionCache;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.BackgroundFolding;
import io.github.stablecut.internal.materializer.JournalReplay;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.materializer.ObjectScan;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.truncation.SegmentTimes;
import io.github.stablecut.internal.truncation.Watermarks;
import io.github.stablecut.internal.watch.CommitSource;
import io.github.stablecut.journal.GroupCommitter;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JournalStatus;
import io.github.stablecut.journal.SegmentStore;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A set of objects with one owner: a journal, checkpoints, an index, a clock. Thread-safe; reads
 * take no lock and wait for nobody.
 */
public final class Partition implements AutoCloseable {
  private final ObjectIndex index;
  private final SegmentTimes segments = new SegmentTimes();
  private final CheckpointStore checkpoints;
  private final Committer committer;
  private final ActiveSnapshots active;
  private final Horizon horizon;
  private final VersionCache cache;
  private final Materializer versions;
  private final Maintenance maintenance;
  private final GroupCommitter journalThread;

  /**
   * Opens a partition: reads its journal, and only then is there anything to call.
   *
   * @param journalFiles where the journal lies; closed with the partition, and if this throws
   * @param checkpointFiles where the checkpoints lie
   */
  public static Partition open(
      PartitionOptions options, SegmentStore journalFiles, Directory checkpointFiles) {
    List<Integer> present = journalFiles.segments();
    try {
      CheckpointStore checkpoints =
          CheckpointStore.open(
              checkpointFiles,
              options.checkpoints().options(),
              present.isEmpty() ? 1 : present.get(0));
      return new Partition(options, journalFiles, checkpoints);
    } catch (IOException e) {
      throw new StoreIoException("the checkpoints can't be read: " + e, e);
    }
  }

  private Partition(
      PartitionOptions options, SegmentStore journalFiles, CheckpointStore checkpoints) {
    this.checkpoints = checkpoints;
    this.index = new ObjectIndex(options.memory().index().isOn());
    Manifest manifest = checkpoints.status().manifest();
    index.beginAfter(inFiles(manifest));
    this.committer = new Committer(options, index, segments, journalFiles, manifest);
    checkpoints.start(change -> {});
    this.active = new ActiveSnapshots(System::nanoTime, options.maxTransactionAge().toNanos());
    this.horizon = new Horizon(active, manifest.lowWatermark());
    this.cache = VersionCache.of(options.memory().cache(), index, options.executor());
    this.versions = new Materializer(index, cache, checkpoints, committer.journal());
    this.maintenance =
        Maintenance.of(
            new Maintenance.Parts(
                index, versions, checkpoints, committer.journal(), segments, horizon),
            new Maintenance.Times(
                committer::lastDurable, committer::clockCeiling, this::watermarks, options.clock()),
            options.checkpoints().policy(),
            Integer.toString(options.number()));
    committer.tell(maintenance);
    if (cache.keeps() && options.memory().index().foldAfter() > 0) {
      committer.tell(
          new BackgroundFolding(versions, committer::stable, options.executor()),
          options.memory().index().foldAfter());
    }
    this.journalThread = GroupCommitter.start(committer.journal(), options.journal().sync());
    maintenance.start();
  }

  /**
   * Up to which vector effects are in checkpoints and history files, for every snapshot that may be
   * read.
   */
  private static VectorClock inFiles(Manifest manifest) {
    List<ManifestFile> histories = manifest.histories();
    return histories.isEmpty()
        ? manifest.lowWatermark()
        : manifest.lowWatermark().join(histories.get(histories.size() - 1).at());
  }

  /** The vector of the last commit that counts as durable, or a later time. */
  public VectorClock stable() {
    return committer.stable();
  }

  /**
   * A snapshot with all that was committed before this call, whose time is at most about a second
   * old. Now and then, if nothing is committed, it blocks for a sync of the journal.
   */
  public VectorClock snapshot() {
    return committer.snapshot();
  }

  /** The newest snapshot, after moving on to the present if that is needed to reach a vector. */
  public VectorClock snapshotAfter(VectorClock vector) {
    return committer.snapshotAfter(vector);
  }

  /** Claims the newest snapshot for a transaction. */
  public ActiveSnapshots.Registration begin() {
    return horizon.begin(committer::snapshot);
  }

  /**
   * Claims an old snapshot until the claim is ended.
   *
   * @throws io.github.stablecut.SnapshotTruncatedException if it is too old
   */
  public ActiveSnapshots.Registration pin(VectorClock snapshot) {
    return horizon.pin(snapshot);
  }

  /**
   * Checks that a snapshot may be read now.
   *
   * @throws io.github.stablecut.SnapshotTruncatedException if it is too old
   */
  public void check(VectorClock snapshot) {
    horizon.check(snapshot);
  }

  /**
   * What an object was at a snapshot that was the newest when it was asked for, or null if that is
   * not in memory in one piece: {@link #versionAt} finds it then.
   */
  public @Nullable Version hit(Bytes id, VectorClock snapshot) {
    return versions.hit(id, snapshot);
  }

  /**
   * What an object was at a snapshot, which must be at or before {@link #stable()}.
   *
   * @throws io.github.stablecut.SnapshotTruncatedException if it is too old
   */
  public Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    Optional<Version> version;
    try {
      version = versions.versionAt(id, snapshot);
    } catch (RuntimeException e) {
      // Of an answer that truncation has pulled the ground from under, only that is told.
      horizon.check(snapshot);
      throw e;
    }
    horizon.check(snapshot);
    return version;
  }

  /**
   * The frontier at which a state that a transaction reads may have been pruned; its effects carry
   * it.
   *
   * @param snapshot the transaction's
   */
  public VectorClock pruneFrontier(VectorClock snapshot) {
    try (View view = checkpoints.view()) {
      return view.newestAt(snapshot).map(Checkpoint::pruneFrontier).orElse(VectorClock.ZERO);
    }
  }

  /**
   * Commits a transaction and waits until it is durable and visible.
   *
   * @return its commit vector
   * @throws TypeMismatchException if an object has another type; nothing was changed
   * @throws io.github.stablecut.journal.DiskFullException if there is no room; nothing was changed
   * @throws JournalFailedException if the journal failed; then nobody knows before the next open
   */
  public VectorClock commit(CommitRequest request) {
    checkTypes(request);
    committer.submit(request);
    request.await();
    return request.commit().vector();
  }

  /** As {@link #commit}, without waiting; the stage is completed on the executor. */
  public CompletionStage<VectorClock> commitAsync(CommitRequest request, Executor executor) {
    checkTypes(request);
    CompletionStage<Void> stage = request.completeOn(executor);
    committer.submit(request);
    return stage.thenApply(done -> request.commit().vector());
  }

  /**
   * Checks the types of objects that are in checkpoints only; those in memory are checked under the
   * commit lock.
   */
  private void checkTypes(CommitRequest request) {
    for (CommitRequest.ObjectWrite write : request.writes()) {
      if (index.get(write.id()).isEmpty()) {
        versionAt(write.id(), committer.stable())
            .ifPresent(
                version -> TypeMismatchException.check(write.id(), write.type(), version.type()));
      }
    }
  }

  /**
   * Makes a checkpoint now, truncates what it allows, and waits for both.
   *
   * @throws io.github.stablecut.error.StablecutException if that failed; the store goes on without
   */
  public void checkpoint() {
    maintenance.checkpoint();
  }

  /**
   * The objects of a range at a snapshot.
   *
   * @param snapshot claimed by the caller until the scan is closed
   */
  public ObjectScan scan(IdRange range, VectorClock snapshot) {
    return new ObjectScan(index, versions, checkpoints, range, snapshot);
  }

  /** Its commits, for those who watch. */
  public CommitSource commits() {
    return new PartitionCommits(committer, segments, horizon);
  }

  /** The five times of the report, whose invariants hold. */
  public Watermarks watermarks() {
    VectorClock low = horizon.low();
    VectorClock checkpointTime = checkpoints.status().manifest().checkpointTime();
    VectorClock durable = committer.lastDurable();
    VectorClock newest = committer.stable();
    return new Watermarks(
        low, checkpointTime, durable, horizon.minDependency(newest), committer.lastCommit());
  }

  /**
   * The replay of the whole journal as a source of versions: the plainest there is, and very slow.
   */
  public VersionSource replay() {
    return new JournalReplay(committer.journal());
  }

  /** The number of objects in memory. */
  public int objects() {
    return index.size();
  }

  /** The number of open transactions and pins. */
  public int claims() {
    return active.count();
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

  /** Makes durable what was submitted, and closes everything. */
  @Override
  public void close() {
    maintenance.close();
    journalThread.close();
    checkpoints.close();
  }
}
