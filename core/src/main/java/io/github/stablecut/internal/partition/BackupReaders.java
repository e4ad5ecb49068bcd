package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.backup.JournalRecords;
import io.github.stablecut.internal.partition.commit.PendingCommits;
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
  private static final int PIECE_BYTES = 512 << 10;

  /** A piece of the records ends once this many bytes of the journal were read for it. */
  private static final long MAX_READ_BYTES = 16 << 20;

  private static final long SILENCE_NANOS = 120_000_000_000L;

  /**
   * Maximum number of concurrent readers. Beyond it the least recently active one is dropped and
   * must start again.
   */
  private static final int MAX_READERS = 4;

  /**
   * The parts of the partition that are read.
   *
   * @param clockCeiling above all times that the partition has issued
   */
  record Components(
      LocalDataCentre local,
      Journal journal,
      CheckpointStore checkpoints,
      PendingCommits pending,
      Horizon horizon,
      LongSupplier clockCeiling,
      LongSupplier nanoTime) {}

  private final Components parts;

  @GuardedBy("this")
  private final Map<Long, Reader> readers = new HashMap<>();

  @GuardedBy("this")
  private boolean isClosed;

  BackupReaders(Components parts) {
    this.parts = parts;
  }

  /** The state of one backup's reader. Confined to one thread at a time. */
  private final class Reader implements AutoCloseable {
    private final VectorClock at;

    /**
     * Taken before the checkpoint view: what the journal drops in between is in the checkpoints.
     */
    private final JournalView journal = parts.journal.view();

    private final long first = parts.journal.firstRecord();
    private final CheckpointView view = parts.checkpoints.view();
    private final long end = parts.journal.nextRecord();
    private final HistoryRecords history;

    /** The beginning of the next piece of the records. */
    private long next = first;

    private long heardAtNanos = parts.nanoTime.getAsLong();

    Reader(VectorClock at) {
      this.at = at;
      this.history = new HistoryRecords(parts.local, parts.journal, at, end);
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
        byte[] bytes = view.read(file, from, PIECE_BYTES);
        return bytes.length < PIECE_BYTES
            ? BackupReadRequest.Piece.last(bytes)
            : new BackupReadRequest.Piece(from + bytes.length, Bytes.wrap(bytes));
      } catch (IllegalArgumentException e) {
        // A segment was being dropped when this reader started.
        return BackupReadRequest.Piece.restart();
      }
    }

    private BackupReadRequest.Piece records(long from) {
      if (from != next) {
        // A piece was read twice or skipped; the next piece depends on all before.
        return BackupReadRequest.Piece.restart();
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
            history.add(number, record, (kind, body) -> JournalRecords.put(kind, body, out));
            return out.size() < PIECE_BYTES && read[0] < MAX_READ_BYTES;
          });
      if (next < end) {
        return new BackupReadRequest.Piece(next, Bytes.wrap(out.toByteArray()));
      }
      history.end((kind, body) -> JournalRecords.put(kind, body, out));
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
  BackupReadRequest.Piece read(BackupReadRequest request) {
    return request.file().isEmpty() ? begin(request) : resume(request);
  }

  private BackupReadRequest.Piece begin(BackupReadRequest request) {
    VectorClock at = request.at();
    parts.pending.awaitComplete(at);
    Reader reader = new Reader(at);
    boolean isRegistered = false;
    try {
      // This check comes after the files are retained.
      parts.horizon.check(at);
      byte[] contents = reader.contents().encode();
      isRegistered = true;
      putBack(request.reader(), reader);
      return BackupReadRequest.Piece.last(contents);
    } finally {
      if (!isRegistered) {
        reader.close();
      }
    }
  }

  private BackupReadRequest.Piece resume(BackupReadRequest request) {
    Reader reader = take(request.reader());
    if (reader == null) {
      return BackupReadRequest.Piece.restart();
    }
    boolean isOver = true;
    try {
      BackupReadRequest.Piece piece = reader.piece(request.file(), request.from());
      isOver =
          piece.next() == BackupReadRequest.Piece.RESTART
              || (piece.next() == BackupReadRequest.Piece.DONE
                  && request.file().equals(BackupReadRequest.RECORDS));
      return piece;
    } finally {
      if (isOver) {
        reader.close();
      } else {
        putBack(request.reader(), reader);
      }
    }
  }

  /** Takes a reader out of the map, for exclusive use until {@link #putBack}. */
  private synchronized @Nullable Reader take(long reader) {
    return readers.remove(reader);
  }

  private synchronized void putBack(long reader, Reader used) {
    if (isClosed) {
      used.close();
      return;
    }
    used.heardAtNanos = parts.nanoTime.getAsLong();
    Reader before = readers.put(reader, used);
    if (before != null) {
      before.close();
    }
    if (readers.size() > MAX_READERS) {
      dropLeastRecent();
    }
  }

  @GuardedBy("this")
  private void dropLeastRecent() {
    long eldest = Collections.min(readers.entrySet(), Comparator.comparingLong(this::age)).getKey();
    Reader dropped = readers.remove(eldest);
    if (dropped != null) {
      dropped.close();
    }
  }

  /** The smaller, the longer the reader has been silent. */
  private long age(Map.Entry<Long, Reader> one) {
    return one.getValue().heardAtNanos - parts.nanoTime.getAsLong();
  }

  /** Drops the readers that have been silent for too long. */
  synchronized void tick() {
    long nowNanos = parts.nanoTime.getAsLong();
    for (Iterator<Reader> all = readers.values().iterator(); all.hasNext(); ) {
      Reader one = all.next();
      if (nowNanos - one.heardAtNanos > SILENCE_NANOS) {
        all.remove();
        one.close();
      }
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    readers.values().forEach(Reader::close);
    readers.clear();
  }
}
