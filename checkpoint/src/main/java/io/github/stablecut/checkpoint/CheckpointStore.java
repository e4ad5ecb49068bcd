package io.github.stablecut.checkpoint;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.checkpoint.internal.Compaction;
import io.github.stablecut.checkpoint.internal.IdHash;
import io.github.stablecut.checkpoint.internal.Leftovers;
import io.github.stablecut.checkpoint.internal.ManifestSwitch;
import io.github.stablecut.checkpoint.internal.Opening;
import io.github.stablecut.checkpoint.internal.RateLimit;
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
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of one partition in one directory. Thread-safe: reading takes no lock, changes
 * take turns, and a merge goes on beside both.
 *
 * <p>{@link #open} only reads; {@link #start} makes it writable. Another process must be kept out
 * by the caller. {@link Layout} says what is in the directory, and what a crash can leave.
 *
 * <p>Invariant: what a manifest that may count names is there and complete. So a file is named only
 * after it was forced, and deleted only after a manifest without it is durable.
 */
public final class CheckpointStore implements AutoCloseable {
  private final Directory directory;
  private final CheckpointOptions options;
  private final IdHash hash;
  private final List<String> problems;
  private final long epoch;
  private final Leftovers leftovers;
  private final AtomicLong lastFileNumber;
  private final AtomicBoolean isMerging = new AtomicBoolean();
  private volatile View current;
  private volatile boolean isClosed;

  /** Guards changes; never held while a run is written. */
  private final Object lock = new Object();

  @GuardedBy("lock")
  private long lastNumber;

  @GuardedBy("lock")
  private long previousNumber;

  @GuardedBy("lock")
  private boolean isStarted;

  @GuardedBy("lock")
  private @Nullable CheckpointFailedException failure;

  private CheckpointStore(
      Directory directory, CheckpointOptions options, Opening opening, IdHash hash)
      throws IOException {
    this.directory = directory;
    this.options = options;
    this.hash = hash;
    this.problems = opening.problems();
    Manifest manifest = opening.manifest();
    // The epoch of a manifest that can't be read is not above its number.
    long lastEpoch = problems.isEmpty() ? manifest.epoch() : opening.lastNumber();
    this.epoch = Math.max(lastEpoch, manifest.epoch()) + 1;
    this.leftovers = new Leftovers(directory);
    this.lastFileNumber = new AtomicLong(lastFileNumber(directory));
    this.lastNumber = opening.lastNumber();
    this.current = new View(manifest, hash, opening.runs(), opening.histories());
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
    Opening opening = Opening.choose(directory, firstJournalSegment, options.hashSeeds());
    IdHash hash = hashes.apply(opening.manifest().hashSeed());
    return new CheckpointStore(directory, options, opening, hash);
  }

  private static long lastFileNumber(Directory directory) throws IOException {
    return directory.list().stream()
        .mapToLong(name -> Layout.fileNumber(name).orElse(0))
        .max()
        .orElse(0);
  }

  /** The number of this opening, which no manifest before it has. */
  public long epoch() {
    return epoch;
  }

  /**
   * Begins to write: makes the new epoch durable, with a change, and then deletes files that are
   * not part of the store. To be called once, when nothing else about the partition was found
   * wrong.
   *
   * @throws CheckpointDroppedException if it can't be written; may be called again
   */
  @CanIgnoreReturnValue
  public Manifest start(Consumer<ManifestChange> change) {
    synchronized (lock) {
      if (isStarted) {
        throw new IllegalStateException("the store was started before");
      }
      long chosen = current.manifest().number();
      Manifest manifest = change(change);
      isStarted = true;
      previousNumber = chosen;
      sweep(manifest);
      return manifest;
    }
  }

  @GuardedBy("lock")
  private void sweep(Manifest manifest) {
    try {
      for (String name : directory.list()) {
        boolean isNeeded =
            name.equals(Layout.CURRENT)
                || name.equals(Layout.manifest(manifest.number()))
                || name.equals(Layout.manifest(previousNumber))
                || manifest.names(name);
        if (Layout.isOurs(name) && !isNeeded) {
          leftovers.add(name);
        }
      }
    } catch (IOException e) {
      // What was not found is found at the next open.
    }
    reclaim();
  }

  /**
   * The checkpoints as they are now; to be closed. Whoever needs the journal's effects too looks
   * for those first, and only then asks for the view: a change is visible here before effects that
   * it replaces may be dropped there.
   */
  public View view() {
    while (true) {
      View view = current;
      if (view.retain()) {
        return view;
      }
      requireOpen();
    }
  }

  /**
   * Begins a run of what changed since the newest checkpoint.
   *
   * @param sessions the caller's, opaque
   * @throws CheckpointDroppedException if it can't be written
   */
  public RunWriter beginRun(Checkpoint checkpoint, byte[] sessions) {
    return new RunWriter(
        this,
        begin(Layout.run(newFileNumber()), WriteLimits.Pace.FULL_SPEED),
        checkpoint,
        sessions);
  }

  /**
   * Begins a history file of the effects up to a checkpoint that are in no earlier one.
   *
   * @throws CheckpointDroppedException if it can't be written
   */
  public HistoryWriter beginHistory(Checkpoint checkpoint) {
    return new HistoryWriter(
        this, begin(Layout.history(newFileNumber()), WriteLimits.Pace.FULL_SPEED), checkpoint);
  }

  private long newFileNumber() {
    return lastFileNumber.incrementAndGet();
  }

  private RunBuilder begin(String name, WriteLimits.Pace pace) {
    synchronized (lock) {
      requireWritable();
    }
    WriteLimits limits =
        new WriteLimits(
            options.forceBytes(),
            options.reserveBytes(),
            bytes -> {
              requireOpen();
              pace.written(bytes);
            });
    try {
      return new RunBuilder(directory, name, hash, limits);
    } catch (IOException e) {
      leftovers.add(Layout.unfinished(name));
      throw droppedFor(e);
    }
  }

  /** Drops a run that could not be written. */
  CheckpointDroppedException dropped(RunBuilder builder, IOException cause) {
    abandon(builder);
    return droppedFor(cause);
  }

  private static CheckpointDroppedException droppedFor(IOException cause) {
    return new CheckpointDroppedException(
        "a file of the checkpoint could not be written and was dropped: " + cause.getMessage(),
        cause);
  }

  /** Drops a run unless it is complete. */
  void abandon(RunBuilder builder) {
    try {
      builder.close();
    } catch (IOException e) {
      builder.fileNames().forEach(leftovers::add);
    }
  }

  /**
   * Changes what the store consists of, all at once and durably. New views have the change when
   * this returns.
   *
   * @throws IllegalArgumentException if the change breaks a rule of {@link Manifest}; nothing was
   *     changed, and files that it adds are still there
   * @throws CheckpointDroppedException if it can't be written; nothing was changed, and files that
   *     it added were dropped
   * @throws CheckpointFailedException if nobody knows whether it was written
   */
  @CanIgnoreReturnValue
  public Manifest commit(Consumer<ManifestChange> change) {
    synchronized (lock) {
      requireWritable();
      long before = current.manifest().number();
      Manifest manifest = change(change);
      if (previousNumber > 0) {
        leftovers.add(Layout.manifest(previousNumber));
      }
      previousNumber = before;
      reclaim();
      return manifest;
    }
  }

  @GuardedBy("lock")
  private Manifest change(Consumer<ManifestChange> change) {
    requireOpen();
    if (failure != null) {
      throw new CheckpointFailedException("no change is possible any more", failure);
    }
    View old = current;
    ManifestChange wanted = new ManifestChange(old.manifest());
    change.accept(wanted);
    lastNumber++;
    Manifest manifest = wanted.build(lastNumber, epoch);
    List<RunFile> runs;
    List<RunFile> histories;
    try {
      runs = open(manifest.runs(), old.newestFirst());
      histories = open(manifest.histories(), old.histories());
      ManifestSwitch.prepare(directory, manifest);
    } catch (IOException e) {
      dropNew(manifest, old.manifest());
      throw droppedFor(e);
    }
    try {
      ManifestSwitch.complete(directory);
    } catch (IOException e) {
      failure =
          new CheckpointFailedException(
              "the switch to %s failed: reopen the store once the disk is well"
                  .formatted(directory.pathOf(Layout.manifest(manifest.number()))),
              e);
      throw failure;
    }
    publish(new View(manifest, hash, runs, histories), old);
    return manifest;
  }

  private List<RunFile> open(List<ManifestFile> files, List<RunFile> known) throws IOException {
    List<RunFile> opened = new ArrayList<>();
    for (ManifestFile file : files) {
      RunFile run = null;
      for (RunFile candidate : known) {
        run = candidate.name().equals(file) ? candidate : run;
      }
      opened.add(run == null ? RunFile.open(directory, file) : run);
    }
    return opened;
  }

  private void dropNew(Manifest dropped, Manifest kept) {
    leftovers.add(Layout.manifest(dropped.number()));
    leftovers.add(Layout.NEXT_CURRENT);
    dropped.runs().stream().filter(run -> !kept.names(run.name())).forEach(this::drop);
    dropped.histories().stream().filter(file -> !kept.names(file.name())).forEach(this::drop);
    reclaim();
  }

  private void drop(ManifestFile file) {
    leftovers.add(file.name());
  }

  private void publish(View next, View old) {
    current = next;
    List<RunFile> files = new ArrayList<>(old.newestFirst());
    files.addAll(old.histories());
    for (RunFile file : files) {
      if (!next.manifest().names(file.name().name())) {
        leftovers.add(file);
      }
    }
    old.close();
  }

  /**
   * Merges some runs, if there are too many or the young ones are large; takes as long as the limit
   * of speed makes it, and is ended by an interrupt or by {@link #close}. To be called again as
   * long as it answers true.
   *
   * @return whether there was something to merge, and no other merge was running
   * @throws CheckpointDroppedException if the result can't be written
   */
  public boolean compact(MergeProgress progress) {
    if (!isMerging.compareAndSet(false, true)) {
      return false;
    }
    try (View view = view()) {
      Manifest manifest = view.manifest();
      List<ManifestFile> chosen =
          Compaction.choose(manifest.runs(), manifest.lowWatermark(), options.maxYoungRuns());
      if (!chosen.isEmpty()) {
        merge(view, chosen, progress);
      }
      return !chosen.isEmpty();
    } finally {
      isMerging.set(false);
    }
  }

  private void merge(View view, List<ManifestFile> chosen, MergeProgress progress) {
    List<RunFile> newestFirst =
        view.newestFirst().stream().filter(run -> chosen.contains(run.name())).toList();
    boolean isBase = chosen.get(0).equals(view.manifest().runs().get(0));
    boolean isBelow =
        newestFirst.get(0).checkpoint().at().isAtOrBefore(view.manifest().lowWatermark());
    RateLimit limit = new RateLimit(options.mergeBytesPerSecond(), options.clock());
    RunMerge merge = new RunMerge(newestFirst, isBase && isBelow, limit, progress);
    RunBuilder builder = begin(Layout.run(newFileNumber()), merge.pace());
    ManifestFile merged;
    try {
      merged = merge.into(builder);
    } catch (IOException e) {
      throw dropped(builder, e);
    } finally {
      abandon(builder);
    }
    synchronized (lock) {
      if (ManifestChange.splits(current.manifest().lowWatermark(), chosen)) {
        drop(merged);
        reclaim();
      } else {
        commit(change -> change.replaceRuns(chosen, merged));
      }
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
    try (View view = view()) {
      List<Long> entries = new ArrayList<>();
      view.newestFirst().forEach(run -> entries.add(0, run.entries()));
      return new CheckpointStatus(view.manifest(), entries, leftovers.size(), problems);
    }
  }

  @GuardedBy("lock")
  private void requireWritable() {
    requireOpen();
    if (!isStarted) {
      throw new IllegalStateException("the store was not started");
    }
    if (failure != null) {
      throw new CheckpointFailedException("nothing can be written any more", failure);
    }
  }

  private void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException("the store is closed");
    }
  }

  /** Ends a merge that is running, and lets go of the files; who still reads may go on. */
  @Override
  public void close() {
    synchronized (lock) {
      if (!isClosed) {
        isClosed = true;
        current.close();
      }
    }
  }
}
