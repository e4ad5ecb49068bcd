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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * The checkpoints of one partition in one directory. Thread-safe: reading takes no lock, changes
 * take turns, and a merge goes on beside both.
 *
 * <p>{@link #open} only reads; {@link #start} makes it writable. Other processes must be kept out
 * by the caller. {@link CheckpointFiles} says what is in the directory, and what a crash can leave.
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
   * @param firstJournalSegment the first segment that the journal has; 1 if it has none
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

  /** The number of this opening, above those of all that were started before. */
  public long epoch() {
    return changes.epoch();
  }

  /**
   * Begins to write: makes the new epoch durable, with a change, and then deletes files that are
   * not part of the store. To be called once, when nothing else about the partition was found
   * wrong.
   *
   * @return the manifest with the change
   * @throws CheckpointDroppedException if it can't be written; may be called again
   */
  @CanIgnoreReturnValue
  public Manifest start(Consumer<ManifestChange> change) {
    return changes.start(change);
  }

  /**
   * The checkpoints as they are now; to be closed. Whoever needs the journal's effects too looks
   * for those first, and only then asks for the view: a change is visible here before effects that
   * it replaces may be dropped there.
   */
  public CheckpointView view() {
    return changes.view();
  }

  /**
   * Begins a run of what changed since the newest checkpoint.
   *
   * @param notes the caller's, opaque
   * @throws CheckpointDroppedException if it can't be written
   */
  public RunWriter beginRun(Checkpoint checkpoint, byte[] notes) {
    RunBuilder builder = beginCheckpoint(CheckpointFiles.run(newFileNumber()));
    return new RunWriter(new PendingFile(changes, leftovers, builder, checkpoint), notes);
  }

  /**
   * Begins a history file of the effects up to a checkpoint that are in no earlier one.
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
   * Changes what the store consists of, all at once and durably. New views have the change when
   * this returns.
   *
   * @return the manifest with the change
   * @throws IllegalArgumentException if the change breaks a rule of {@link Manifest}; nothing was
   *     changed, and files that it adds are still there
   * @throws CheckpointDroppedException if it can't be written; nothing was changed, and files that
   *     it adds were dropped
   * @throws CheckpointFailedException if nobody knows whether it was written
   */
  @CanIgnoreReturnValue
  public Manifest commit(Consumer<ManifestChange> change) {
    return changes.commit(change);
  }

  /**
   * Merges some runs, if there are too many or the young ones are large; takes as long as the limit
   * of speed makes it, and is ended by what it tells of its progress, by an interrupt or by {@link
   * #close}. To be called again as long as it answers true.
   *
   * @return whether there was something to merge, and no other merge was running
   * @throws CheckpointDroppedException if the result can't be written, or is not wanted any more
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
   * Deletes files that are not part of the store any more and that no reader is in. Every change
   * does it too; so this is for when readers leave and nothing changes.
   *
   * @return how many files have still to be deleted
   */
  @CanIgnoreReturnValue
  public int reclaim() {
    return leftovers.delete();
  }

  /** How the store is. */
  public CheckpointStatus status() {
    try (CheckpointView view = view()) {
      List<Long> entries = new ArrayList<>();
      view.newestFirst().forEach(run -> entries.add(0, run.entries()));
      return new CheckpointStatus(view.manifest(), entries, leftovers.size(), problems);
    }
  }

  /**
   * Ends a merge that is running, and lets go of the files; who still reads may go on. Files that
   * nobody reads any more are deleted, which a reader that left since the last change has not done.
   */
  @Override
  public void close() {
    changes.close();
    reclaim();
  }
}
