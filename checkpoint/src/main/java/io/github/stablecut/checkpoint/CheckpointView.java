package io.github.stablecut.checkpoint;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.internal.IdHash;
import io.github.stablecut.checkpoint.internal.JournalPositions;
import io.github.stablecut.checkpoint.internal.ManifestFormat;
import io.github.stablecut.checkpoint.internal.MergeCursor;
import io.github.stablecut.checkpoint.internal.RunFile;
import io.github.stablecut.checkpoint.internal.RunVerification;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints as they are between two changes: what it answers never changes, whatever is
 * added, merged or deleted meanwhile. Thread-safe, without locks. To be closed once, soon, by who
 * asked for it ({@link CheckpointStore#view}): files that it alone still needs are kept until then.
 */
public final class CheckpointView implements AutoCloseable {
  /** The newest format of manifests that this program reads, and the one that it writes. */
  public static final int FORMAT = ManifestFormat.VERSION;

  private static final long[] NO_POSITIONS = new long[0];

  private final Manifest manifest;
  private final IdHash hash;
  private final List<RunFile> newestFirst;
  private final List<RunFile> histories;

  /** Both; found when this is made, because they are let go of when there may be no memory. */
  private final List<RunFile> files;

  /** One for the store while this view is the current one, and one for each who asked for it. */
  private final AtomicInteger users = new AtomicInteger(1);

  /**
   * @param runs oldest first
   * @param histories oldest first
   */
  CheckpointView(Manifest manifest, IdHash hash, List<RunFile> runs, List<RunFile> histories) {
    this.manifest = manifest;
    this.hash = hash;
    this.histories = List.copyOf(histories);
    List<RunFile> reversed = new ArrayList<>(runs);
    Collections.reverse(reversed);
    this.newestFirst = List.copyOf(reversed);
    this.files = Stream.concat(newestFirst.stream(), this.histories.stream()).toList();
    for (int i = 0; i < files.size(); i++) {
      files.get(i).retain();
    }
  }

  /** Counts one more user, unless there is none any more. */
  boolean retain() {
    int known = users.get();
    while (known > 0 && !users.compareAndSet(known, known + 1)) {
      known = users.get();
    }
    return known > 0;
  }

  @Override
  public void close() {
    if (users.decrementAndGet() == 0) {
      release(0);
    }
  }

  /** Lets go of the files from one on, even if an error comes in between. */
  private void release(int from) {
    int next = from;
    try {
      while (next < files.size()) {
        files.get(next++).release();
      }
    } finally {
      if (next < files.size()) {
        release(next);
      }
    }
  }

  /**
   * The same view for one more user, who closes it.
   *
   * @throws IllegalStateException if it is closed
   */
  public CheckpointView share() {
    if (!retain()) {
      throw new IllegalStateException("the view is closed");
    }
    return this;
  }

  /** What the store consists of. */
  public Manifest manifest() {
    return manifest;
  }

  List<RunFile> newestFirst() {
    return newestFirst;
  }

  List<RunFile> histories() {
    return histories;
  }

  List<RunFile> files() {
    return files;
  }

  /** All checkpoints, newest first. */
  public List<Checkpoint> checkpoints() {
    return newestFirst.stream().map(RunFile::checkpoint).toList();
  }

  /**
   * The newest checkpoint at or before a snapshot: what {@link #find} answers is complete at its
   * vector. Empty if the snapshot is below all.
   */
  public Optional<Checkpoint> newestAt(VectorClock snapshot) {
    return Optional.ofNullable(newest(snapshot));
  }

  /** What {@link #newestAt} was pruned at; zero if there is none. */
  public VectorClock pruneFrontierAt(VectorClock snapshot) {
    Checkpoint newest = newest(snapshot);
    return newest == null ? VectorClock.ZERO : newest.pruneFrontier();
  }

  /** Without an iterator, as each commit comes here. */
  private @Nullable Checkpoint newest(VectorClock snapshot) {
    for (int i = 0; i < newestFirst.size(); i++) {
      Checkpoint checkpoint = newestFirst.get(i).checkpoint();
      if (checkpoint.at().isAtOrBefore(snapshot)) {
        return checkpoint;
      }
    }
    return null;
  }

  /**
   * The object as the newest checkpoint at or before a snapshot has it, be it deleted; empty if
   * nothing had been done to it.
   *
   * @param snapshot at or above the low watermark
   * @throws CorruptCheckpointException if a file is damaged
   */
  public Optional<RunEntry> find(Bytes id, VectorClock snapshot) {
    requireReadable(snapshot);
    byte[] bytes = id.toArray();
    long idHash = hash.of(bytes);
    for (RunFile run : newestFirst) {
      if (run.checkpoint().at().isAtOrBefore(snapshot)) {
        Optional<RunEntry> entry = run.find(bytes, idHash);
        if (entry.isPresent()) {
          return entry;
        }
      }
    }
    return Optional.empty();
  }

  /**
   * The objects of a range that have a state at the newest checkpoint at or before a snapshot,
   * ascending.
   *
   * @param snapshot at or above the low watermark
   */
  public EntryScan scan(IdRange range, VectorClock snapshot) {
    return scan(range, snapshot, false);
  }

  /**
   * The objects of a range that have a state at the newest checkpoint at or before a snapshot.
   *
   * @param snapshot at or above the low watermark
   * @param isDescending whether the greatest id comes first
   */
  public EntryScan scan(IdRange range, VectorClock snapshot, boolean isDescending) {
    requireReadable(snapshot);
    return scan(runsAt(snapshot), range, isDescending);
  }

  /**
   * The objects of a range with effects that left the heap and may not be in a base, as {@link
   * #positionsAfter} has them.
   *
   * @param base the vector of a checkpoint
   * @param isDescending whether the greatest id comes first
   */
  public EntryScan scanHistories(IdRange range, VectorClock base, boolean isDescending) {
    return scan(historiesAfter(base), range, isDescending);
  }

  private EntryScan scan(List<RunFile> runs, IdRange range, boolean isDescending) {
    CheckpointView shared = share();
    try {
      return new EntryScan(shared, new MergeCursor(runs, range, isDescending));
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private List<RunFile> historiesAfter(VectorClock base) {
    if (histories.isEmpty()) {
      return histories;
    }
    return histories.stream()
        .filter(history -> !history.checkpoint().at().isAtOrBefore(base))
        .toList();
  }

  private List<RunFile> runsAt(VectorClock snapshot) {
    return newestFirst.stream()
        .filter(run -> run.checkpoint().at().isAtOrBefore(snapshot))
        .toList();
  }

  private void requireReadable(VectorClock snapshot) {
    if (!manifest.lowWatermark().isAtOrBefore(snapshot)) {
      throw new IllegalArgumentException(
          "snapshot %s is not at or above the low watermark %s"
              .formatted(snapshot, manifest.lowWatermark()));
    }
  }

  /**
   * Where in the journal those effects on an object are that left the heap and may not be in a
   * base, ascending. Some may be in the base all the same, or not on the snapshot's side: their
   * records tell.
   *
   * @param base the vector of a checkpoint
   */
  public long[] positionsAfter(Bytes id, VectorClock base) {
    List<RunFile> after = historiesAfter(base);
    if (after.isEmpty()) {
      return NO_POSITIONS;
    }
    byte[] bytes = id.toArray();
    long idHash = hash.of(bytes);
    LongStream found = LongStream.empty();
    for (RunFile history : after) {
      Optional<RunEntry> entry = history.find(bytes, idHash);
      if (entry.isPresent()) {
        found =
            LongStream.concat(found, LongStream.of(JournalPositions.decode(entry.get().state())));
      }
    }
    return found.sorted().distinct().toArray();
  }

  /** The notes of the newest checkpoint; none if there is no checkpoint. */
  public byte[] notes() {
    return newestFirst.isEmpty() ? new byte[0] : newestFirst.get(0).notes();
  }

  /**
   * The small files that make a store of copies of this view's runs ({@link Manifest#runs}): what a
   * backup writes. Such a store holds the newest checkpoint, nothing older, and needs no journal.
   *
   * @param clockCeiling no timestamp at or above it was ever told by who opens that store
   * @return contents by name
   */
  public SortedMap<String, byte[]> snapshotHeads(long clockCeiling) {
    return heads(manifest.checkpointTime(), clockCeiling, manifest.runs());
  }

  private SortedMap<String, byte[]> heads(
      VectorClock low, long clockCeiling, List<ManifestFile> runs) {
    Manifest alone =
        new Manifest(
            manifest.number(),
            manifest.epoch(),
            manifest.hashSeed(),
            low,
            1,
            clockCeiling,
            runs,
            List.of(),
            manifest.attributes());
    SortedMap<String, byte[]> heads = new TreeMap<>();
    heads.put(CheckpointFiles.manifest(alone.number()), ManifestFormat.encode(alone));
    heads.put(CheckpointFiles.CURRENT, CheckpointFiles.current(alone.number()));
    return heads;
  }

  /**
   * The small files that make a store of copies of this view's runs for another copy of the same
   * partition: it reads the same snapshots, and goes on with a journal of its own that has all that
   * is not at or below the low watermark.
   *
   * @return contents by name
   */
  public SortedMap<String, byte[]> copyHeads() {
    return heads(manifest.lowWatermark(), manifest.clockCeiling(), manifest.runs());
  }

  /**
   * The runs at or before a snapshot, oldest first.
   *
   * @param at at or above the low watermark
   */
  public List<ManifestFile> runsThrough(VectorClock at) {
    requireReadable(at);
    return manifest.runs().stream().filter(run -> run.at().isAtOrBefore(at)).toList();
  }

  /**
   * The small files that make a store of copies of {@link #runsThrough} a snapshot, with its past:
   * it reads the snapshots from the low watermark on, and goes on with a journal of its own that
   * has all that is not at or below the low watermark, up to the snapshot.
   *
   * @param at at or above the low watermark
   * @param clockCeiling no timestamp at or above it was ever told by who opens that store
   * @return contents by name
   */
  public SortedMap<String, byte[]> pastHeads(VectorClock at, long clockCeiling) {
    return heads(manifest.lowWatermark(), clockCeiling, runsThrough(at));
  }

  /**
   * Bytes of a run.
   *
   * @param name of one of this view's
   * @param most how many at most: fewer if the file ends before
   * @throws IllegalArgumentException if there is no such run, or it ends before the first byte
   */
  public byte[] read(String name, long from, int most) {
    for (RunFile run : newestFirst) {
      if (run.name().name().equals(name)) {
        return run.raw(from, most);
      }
    }
    throw new IllegalArgumentException("there is no run " + name);
  }

  /** Reads every byte of every file, and says what is wrong with it: nothing, if all is well. */
  public void verify(Consumer<CorruptCheckpointException> damage) {
    for (RunFile file : files()) {
      new RunVerification(file, hash).run(damage);
    }
  }
}
