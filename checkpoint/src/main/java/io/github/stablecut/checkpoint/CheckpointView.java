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
 * The checkpoints between two changes: the results never change, whatever is added, merged or
 * deleted meanwhile. Thread-safe, without locks. The caller of {@link CheckpointStore#view} closes
 * it once, and soon: files that only this view needs are kept until then.
 */
public final class CheckpointView implements AutoCloseable {
  /** The newest format of manifests that this program reads, and the one that it writes. */
  public static final int FORMAT = ManifestFormat.VERSION;

  private static final long[] NO_POSITIONS = new long[0];

  private final Manifest manifest;
  private final IdHash hash;
  private final List<RunFile> newestFirst;
  private final List<RunFile> histories;

  /**
   * The runs and the history files; computed in advance, because they may be released when there is
   * no memory.
   */
  private final List<RunFile> files;

  /** One for the store while this view is current, and one for each caller that opened it. */
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

  /** Counts one more user; returns false if the view is closed. */
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

  /** Releases the files from one on, even if an error occurs in between. */
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
   * The same view for one more user, which closes it.
   *
   * @throws IllegalStateException if it is closed
   */
  public CheckpointView share() {
    if (!retain()) {
      throw new IllegalStateException("the view is closed");
    }
    return this;
  }

  /** The contents of the store. */
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
   * The newest checkpoint at or before a snapshot: results of {@link #find} are complete at its
   * vector. Empty if the snapshot is below all checkpoints.
   */
  public Optional<Checkpoint> newestAt(VectorClock snapshot) {
    return Optional.ofNullable(newest(snapshot));
  }

  /** The prune frontier of {@link #newestAt}; zero if there is no checkpoint. */
  public VectorClock pruneFrontierAt(VectorClock snapshot) {
    Checkpoint newest = newest(snapshot);
    return newest == null ? VectorClock.ZERO : newest.pruneFrontier();
  }

  /** Uses no iterator, because each commit calls it. */
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
   * The object, possibly deleted, in the newest checkpoint at or before a snapshot; empty if it had
   * never changed.
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
   * The objects of a range with effects that left the heap and may be missing in a base, with
   * positions as in {@link #positionsAfter}.
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
   * The journal positions, ascending, of the effects on an object that left the heap and may be
   * missing in a base. Some may be in the base after all, or outside the snapshot; their records
   * show that.
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
   * The small files that turn copies of this view's runs ({@link Manifest#runs}) into a store, for
   * backups. Such a store has only the newest checkpoint, and needs no journal.
   *
   * @param clockCeiling the store that opens them has issued no timestamp at or above it
   * @return contents by name
   */
  public SortedMap<String, byte[]> snapshotHeads(long clockCeiling) {
    return heads(manifest.checkpointTime(), clockCeiling, manifest.runs());
  }

  private SortedMap<String, byte[]> heads(
      VectorClock low, long clockCeiling, List<ManifestFile> runs) {
    Manifest alone =
        Manifest.builder(manifest.number(), manifest.epoch(), manifest.hashSeed())
            .lowWatermark(low)
            .clockCeiling(clockCeiling)
            .runs(runs)
            .attributes(manifest.attributes())
            .build();
    SortedMap<String, byte[]> heads = new TreeMap<>();
    heads.put(CheckpointFiles.manifest(alone.number()), ManifestFormat.encode(alone));
    heads.put(CheckpointFiles.CURRENT, CheckpointFiles.current(alone.number()));
    return heads;
  }

  /**
   * The small files that turn copies of this view's runs into a store for another replica of the
   * partition. It reads the same snapshots, and continues with its own journal, which has
   * everything not at or below the low watermark.
   *
   * @return contents by name
   */
  public SortedMap<String, byte[]> replicaHeads() {
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
   * The small files that turn copies of {@link #runsThrough} a snapshot into a store with its past.
   * It reads the snapshots from the low watermark on, and continues with its own journal, which has
   * everything not at or below the low watermark, up to the snapshot.
   *
   * @param at at or above the low watermark
   * @param clockCeiling the store that opens them has issued no timestamp at or above it
   * @return contents by name
   */
  public SortedMap<String, byte[]> pastHeads(VectorClock at, long clockCeiling) {
    return heads(manifest.lowWatermark(), clockCeiling, runsThrough(at));
  }

  /**
   * Bytes of a run.
   *
   * @param name the name of a run of this view
   * @param most the maximum count; fewer if the file ends earlier
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

  /** Reads every byte of every file, and reports all damage found. */
  public void verify(Consumer<CorruptCheckpointException> damage) {
    for (RunFile file : files()) {
      new RunVerification(file, hash).run(damage);
    }
  }
}
