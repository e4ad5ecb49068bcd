package io.github.stablecut.checkpoint;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.checkpoint.internal.Compaction;
import io.github.stablecut.checkpoint.internal.IdHash;
import io.github.stablecut.checkpoint.internal.ObsoleteFiles;
import io.github.stablecut.checkpoint.internal.RateLimit;
import io.github.stablecut.checkpoint.internal.RecoveredManifest;
import io.github.stablecut.checkpoint.internal.RunBuilder;
import io.github.stablecut.checkpoint.internal.RunFile;
import io.github.stablecut.checkpoint.internal.RunMerge;
import io.github.stablecut.checkpoint.internal.SipHash;
import io.github.stablecut.checkpoint.internal.WriteLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * The checkpoints of one partition in one directory. Thread-safe: reads take no lock, changes are
 * serialized, and a merge runs concurrently with both.
 *
 * <p>{@link #open} only reads; {@link #start} makes the store writable. The caller keeps other
 * processes out. {@link CheckpointFiles} describes the directory and what a crash can leave in it.
 */
public final class CheckpointStore implements AutoCloseable {
  private final Directory directory;
  private final CheckpointOptions options;
  private final IdHash hash;
  private final List<String> problems;
  private final ObsoleteFiles leftovers;
  private final ManifestCommitter changes;
  private final AtomicLong lastFileNumber;
  private final AtomicBoolean isMerging = new AtomicBoolean();

  private CheckpointStore(
      Directory directory,
      CheckpointOptions options,
      RecoveredManifest opening,
      IdHash hash,
      long lastFileNumber) {
    this.directory = directory;
    this.options = options;
    this.hash = hash;
    this.problems = opening.problems();
    this.leftovers = new ObsoleteFiles(directory);
    this.changes = new ManifestCommitter(directory, hash, opening, leftovers);
    this.lastFileNumber = new AtomicLong(lastFileNumber);
  }

  private static long lastFileNumber(Directory directory) throws IOException {
    return directory.list().stream()
        .mapToLong(name -> CheckpointFiles.fileNumber(name).orElse(0))
        .max()
        .orElse(0);
  }

  /**
   * Opens the store in a directory, which may be empty, for reading. Changes nothing.
   *
   * @param firstJournalSegment the first segment of the journal; 1 if it has none
   * @throws CorruptCheckpointException if files are damaged or missing and something would be lost
   * @throws CheckpointVersionException if a newer program wrote them
   */
  public static CheckpointStore open(
      Directory directory, CheckpointOptions options, int firstJournalSegment) throws IOException {
    return open(directory, options, firstJournalSegment, SipHash::ofSeed);
  }

  static CheckpointStore open(
      Directory directory,
      CheckpointOptions options,
      int firstJournalSegment,
      LongFunction<IdHash> hashes)
      throws IOException {
    long lastFileNumber = lastFileNumber(directory);
    RecoveredManifest opening =
        RecoveredManifest.choose(directory, firstJournalSegment, options.hashSeeds());
    IdHash hash = hashes.apply(opening.manifest().hashSeed());
    return new CheckpointStore(directory, options, opening, hash, lastFileNumber);
  }

  /** The number of this opening, above those of all openings started before. */
  public long epoch() {
    return changes.epoch();
  }

  /**
   * Starts writing: makes the new epoch durable together with a change, and then deletes files that
   * are not part of the store. To be called once, after all other checks of the partition have
   * succeeded.
   *
   * @return the manifest with the change
   * @throws CheckpointDroppedException if it can't be written; may be called again
   */
  @CanIgnoreReturnValue
  public Manifest start(Consumer<ManifestChange> change) {
    return changes.start(change);
  }

  /**
   * Opens a view of the current checkpoints, which the caller closes. A caller that also needs the
   * journal's effects reads those first and opens the view afterwards: a change is visible here
   * before the effects that it replaces may be dropped there.
   */
  public CheckpointView view() {
    return changes.view();
  }

  /**
   * Begins a run with the changes since the newest checkpoint.
   *
   * @param notes opaque bytes of the caller
   * @throws CheckpointDroppedException if it can't be written
   */
  public RunWriter beginRun(Checkpoint checkpoint, byte[] notes) {
    RunBuilder builder = beginCheckpoint(CheckpointFiles.run(newFileNumber()));
    return new RunWriter(new PendingFile(changes, leftovers, builder, checkpoint), notes);
  }

  /**
   * Begins a history file with the effects up to a checkpoint that are in no earlier one.
   *
   * @throws CheckpointDroppedException if it can't be written
   */
  public HistoryWriter beginHistory(Checkpoint checkpoint) {
    RunBuilder builder = beginCheckpoint(CheckpointFiles.history(newFileNumber()));
    return new HistoryWriter(new PendingFile(changes, leftovers, builder, checkpoint));
  }

  private long newFileNumber() {
    return lastFileNumber.incrementAndGet();
  }

  private RunBuilder beginCheckpoint(String name) {
    return begin(name, options.checkpointReserveBytes(), WriteLimits.Pace.FULL_SPEED);
  }

  private RunBuilder begin(String name, long reserveBytes, WriteLimits.Pace pace) {
    changes.requireWritable();
    WriteLimits.Pace whileOpen =
        bytes -> {
          changes.requireOpen();
          pace.written(bytes);
        };
    WriteLimits limits = new WriteLimits(options.forceBytes(), reserveBytes, whileOpen);
    try {
      return new RunBuilder(directory, name, hash, limits);
    } catch (IOException e) {
      leftovers.add(CheckpointFiles.unfinished(name));
      throw CheckpointDroppedException.because(e);
    } catch (RuntimeException | Error e) {
      leftovers.add(CheckpointFiles.unfinished(name));
      throw e;
    }
  }

  /**
   * Changes the contents of the store, atomically and durably. New views have the change when this
   * returns.
   *
   * @return the manifest with the change
   * @throws IllegalArgumentException if the change breaks a rule of {@link Manifest}; nothing was
   *     changed, and files that it adds are still there
   * @throws CheckpointDroppedException if it can't be written; nothing was changed, and files that
   *     it adds were dropped
   * @throws CheckpointFailedException if it is unknown whether it was written
   */
  @CanIgnoreReturnValue
  public Manifest commit(Consumer<ManifestChange> change) {
    return changes.commit(change);
  }

  /**
   * Merges some runs if there are too many, or if the young ones are large. The rate limit
   * determines the duration; the progress callback, an interrupt or {@link #close} ends it early.
   * Call again as long as it returns true.
   *
   * @return whether there was something to merge, and no other merge was running
   * @throws CheckpointDroppedException if the result can't be written, or the merge was cancelled
   */
  public boolean compact(MergeProgress progress) {
    if (!isMerging.compareAndSet(false, true)) {
      return false;
    }
    try {
      return mergeChosen(progress);
    } finally {
      try {
        reclaim();
      } finally {
        isMerging.set(false);
      }
    }
  }

  private boolean mergeChosen(MergeProgress progress) {
    try (CheckpointView view = view()) {
      Manifest manifest = view.manifest();
      List<ManifestFile> chosen =
          Compaction.choose(
              manifest.runs(),
              manifest.lowWatermark(),
              options.maxYoungRuns(),
              options.stepMillis());
      if (!chosen.isEmpty()) {
        merge(view, chosen, progress);
      }
      return !chosen.isEmpty();
    }
  }

  private void merge(CheckpointView view, List<ManifestFile> chosen, MergeProgress progress) {
    Manifest manifest = view.manifest();
    List<RunFile> newestFirst =
        view.newestFirst().stream().filter(run -> chosen.contains(run.name())).toList();
    boolean isBase = chosen.get(0).equals(manifest.runs().get(0));
    boolean isBelow = newestFirst.get(0).checkpoint().at().isAtOrBefore(manifest.lowWatermark());
    RateLimit limit = new RateLimit(options.mergeBytesPerSecond(), options.clock());
    RunMerge merge = new RunMerge(newestFirst, isBase && isBelow, limit, progress);
    RunBuilder builder =
        begin(CheckpointFiles.run(newFileNumber()), options.reserveBytes(), merge.pace());
    Checkpoint newest = newestFirst.get(0).checkpoint();
    try (PendingFile file = new PendingFile(changes, leftovers, builder, newest)) {
      merge.into(file::add);
      changes.replace(chosen, file.finish(newestFirst.get(0).notes()));
    }
  }

  /**
   * Deletes obsolete files that no reader uses. Every change does so, too; this is for when readers
   * leave without a change.
   *
   * @return the number of files still to be deleted
   */
  @CanIgnoreReturnValue
  public int reclaim() {
    return leftovers.delete();
  }

  /**
   * Returns the reason why nothing can be written until the store is opened again; empty if it can.
   * Never blocks.
   */
  public Optional<String> failure() {
    return changes.failure();
  }

  /** The status of the store. */
  public CheckpointStatus status() {
    try (CheckpointView view = view()) {
      List<Long> entries = new ArrayList<>();
      view.newestFirst().forEach(run -> entries.add(0, run.entries()));
      return new CheckpointStatus(view.manifest(), entries, leftovers.size(), problems);
    }
  }

  /**
   * Ends a running merge and releases the files; open views stay readable. Also deletes obsolete
   * files whose readers have left since the last change.
   */
  @Override
  public void close() {
    changes.close();
    reclaim();
  }
}
