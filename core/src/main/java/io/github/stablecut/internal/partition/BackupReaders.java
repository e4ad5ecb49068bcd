package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.backup.JournalRecords;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalView;
import java.io.ByteArrayOutputStream;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The backups that read a partition. The files that a backup has begun to read are retained until
 * it has read everything or has been silent for two minutes. Thread-safe.
 */
final class BackupReaders implements AutoCloseable {
  /** Approximate size of a piece. */
  private static final int PART_BYTES = 512 << 10;

  /** A piece of the records ends once this many bytes of the journal were read for it. */
  private static final long MOST_READ = 16 << 20;

  private static final long SILENCE_NANOS = 120_000_000_000L;

  /**
   * Maximum number of concurrent readers. Beyond it the least recently active one is dropped and
   * must start again.
   */
  private static final int MOST = 4;

  /**
   * The parts of the partition that are read.
   *
   * @param clockCeiling above all times that the partition has issued
   */
  record Parts(
      LocalDataCentre local,
      Journal journal,
      CheckpointStore checkpoints,
      PendingCommits pending,
      Horizon horizon,
      LongSupplier clockCeiling,
      LongSupplier nanoTime) {}

  private final Parts parts;

  @GuardedBy("this")
  private final Map<Long, Held> held = new HashMap<>();

  @GuardedBy("this")
  private boolean isClosed;

  BackupReaders(Parts parts) {
    this.parts = parts;
  }

  /** The state of one backup's reader. Confined to one thread at a time. */
  private final class Held implements AutoCloseable {
    private final VectorClock at;

    /**
     * Taken before the checkpoint view: what the journal drops in between is in the checkpoints.
     */
    private final JournalView journal = parts.journal.view();

    private final long first = parts.journal.firstRecord();
    private final CheckpointView view = parts.checkpoints.view();
    private final long end = parts.journal.nextRecord();
    private final HistoryRecords past;

    /** Where the next piece of the records begins. */
    private long next = first;

    private long heard = parts.nanoTime.getAsLong();

    Held(VectorClock at) {
      this.at = at;
      this.past = new HistoryRecords(parts.local, parts.journal, at, end);
    }

    BackupReadRequest.Contents contents() {
      SortedMap<String, Bytes> heads = new TreeMap<>();
      view.pastHeads(at, parts.clockCeiling.getAsLong())
          .forEach((name, content) -> heads.put(name, Bytes.wrap(content)));
      return new BackupReadRequest.Contents(
          heads,
          view.runsThrough(at).stream()
              .map(run -> new BackupReadRequest.Contents.Run(run.name(), run.bytes()))
              .toList());
    }

    BackupReadRequest.Piece piece(String file, long from) {
      try {
        if (file.equals(BackupReadRequest.RECORDS)) {
          return records(from == 0 ? first : from);
        }
        byte[] bytes = view.read(file, from, PART_BYTES);
        return bytes.length < PART_BYTES
            ? BackupReadRequest.Piece.last(bytes)
            : new BackupReadRequest.Piece(from + bytes.length, Bytes.wrap(bytes));
      } catch (IllegalArgumentException e) {
        // A segment was being dropped when this reader started.
        return BackupReadRequest.Piece.anew();
      }
    }

    private BackupReadRequest.Piece records(long from) {
      if (from != next) {
        // A piece was read twice or skipped; the next piece depends on all before.
        return BackupReadRequest.Piece.anew();
      }
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      long[] read = {0};
      parts.journal.scanNumbers(
          from,
          (number, record) -> {
            if (number >= end) {
              return false;
            }
            next = number + 1;
            read[0] += record.body().length;
            past.add(number, record, (kind, body) -> JournalRecords.put(kind, body, out));
            return out.size() < PART_BYTES && read[0] < MOST_READ;
          });
      if (next < end) {
        return new BackupReadRequest.Piece(next, Bytes.wrap(out.toByteArray()));
      }
      past.end((kind, body) -> JournalRecords.put(kind, body, out));
      return BackupReadRequest.Piece.last(out.toByteArray());
    }

    @Override
    public void close() {
      journal.close();
      view.close();
    }
  }

  /**
   * Reads the next piece for a backup.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the snapshot is truncated
   * @throws io.github.stablecut.error.ReadTimeoutException if a transaction stays undecided for too
   *     long
   */
  BackupReadRequest.Piece read(BackupReadRequest reading) {
    return reading.file().isEmpty() ? begin(reading) : goOn(reading);
  }

  private BackupReadRequest.Piece begin(BackupReadRequest reading) {
    VectorClock at = reading.at();
    parts.pending.awaitComplete(at);
    Held begun = new Held(at);
    boolean isKept = false;
    try {
      // This check comes after the files are retained.
      parts.horizon.check(at);
      byte[] contents = begun.contents().encode();
      isKept = true;
      keep(reading.reader(), begun);
      return BackupReadRequest.Piece.last(contents);
    } finally {
      if (!isKept) {
        begun.close();
      }
    }
  }

  private BackupReadRequest.Piece goOn(BackupReadRequest reading) {
    Held known = take(reading.reader());
    if (known == null) {
      return BackupReadRequest.Piece.anew();
    }
    boolean isOver = true;
    try {
      BackupReadRequest.Piece piece = known.piece(reading.file(), reading.from());
      isOver =
          piece.next() == BackupReadRequest.Piece.ANEW
              || (piece.next() == BackupReadRequest.Piece.DONE
                  && reading.file().equals(BackupReadRequest.RECORDS));
      return piece;
    } finally {
      if (isOver) {
        known.close();
      } else {
        keep(reading.reader(), known);
      }
    }
  }

  /** Takes a reader out of the map, for exclusive use until {@link #keep}. */
  private synchronized @Nullable Held take(long reader) {
    return held.remove(reader);
  }

  private synchronized void keep(long reader, Held used) {
    if (isClosed) {
      used.close();
      return;
    }
    used.heard = parts.nanoTime.getAsLong();
    Held before = held.put(reader, used);
    if (before != null) {
      before.close();
    }
    if (held.size() > MOST) {
      dropEldest();
    }
  }

  @GuardedBy("this")
  private void dropEldest() {
    long eldest = Collections.min(held.entrySet(), Comparator.comparingLong(this::age)).getKey();
    Held dropped = held.remove(eldest);
    if (dropped != null) {
      dropped.close();
    }
  }

  /** The smaller, the longer the reader has been silent. */
  private long age(Map.Entry<Long, Held> one) {
    return one.getValue().heard - parts.nanoTime.getAsLong();
  }

  /** Drops the readers that have been silent for too long. */
  synchronized void tick() {
    long now = parts.nanoTime.getAsLong();
    for (Iterator<Held> all = held.values().iterator(); all.hasNext(); ) {
      Held one = all.next();
      if (now - one.heard > SILENCE_NANOS) {
        all.remove();
        one.close();
      }
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    held.values().forEach(Held::close);
    held.clear();
  }
}
