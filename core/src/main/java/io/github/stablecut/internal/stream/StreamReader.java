package io.github.stablecut.internal.stream;

import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.StoredRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a stream from a partition's journal, from some transaction on. Confined to one thread. */
public abstract sealed class StreamReader permits OwnStream, ReceivedStream {
  private final Journal journal;

  /** The commit time of the last transaction that was read, or after which reading begins. */
  private long last;

  StreamReader(Journal journal, Start start) {
    this.journal = journal;
    this.last = start.last;
  }

  /**
   * Where reading begins: what the reader has already.
   *
   * @param last the commit time of the last transaction, or a later time of a checkpoint; 0 if
   *     there is none
   * @param reached a time up to which there is no other, at or after {@code last}
   * @param received the commit time of the last transaction that the reader's journal has, at or
   *     before {@code last}; 0 if it has none any more
   */
  public record Start(long last, long reached, long received) {
    /** The beginning of the stream. */
    public static final Start BEGINNING = new Start(0, 0, 0);

    /** Checks the order. */
    public Start {
      if (received < 0 || last < received || reached < last) {
        throw new IllegalArgumentException(
            "nothing between %d and %d, after one at %d".formatted(last, reached, received));
      }
    }
  }

  /**
   * A part of the stream that follows what was read before.
   *
   * @param after the transaction before it
   * @param through the stream has no other transaction up to this time
   */
  public record Part(long after, long through, List<byte[]> records) {}

  /** Where a transaction's record is. */
  record Place(long time, long position) {}

  /** The commit time of the last transaction that was read, or after which reading begins. */
  public long last() {
    return last;
  }

  /**
   * Reads what comes next, as far as it is durable.
   *
   * @param maxBytes about as much as is read; a single transaction may be larger
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what comes next is not kept any
   *     more
   * @throws ForkedStreamException if the reader has taken other transactions of the stream
   */
  public Part read(long maxBytes) {
    long after = last;
    List<byte[]> records = new ArrayList<>();
    long bytes = 0;
    Place next = next();
    while (next != null && bytes < maxBytes) {
      StoredRecord stored;
      try {
        stored = journal.read(next.position);
      } catch (IllegalArgumentException e) {
        // Its segment was dropped.
        restart(last);
        break;
      }
      byte[] record = record(stored, last);
      records.add(record);
      bytes += record.length;
      last = next.time;
      taken();
      next = next();
    }
    return new Part(after, Math.max(last, next == null ? complete() : last), records);
  }

  /** The next transaction of the stream, which stays the next one; null if there is none yet. */
  abstract @Nullable Place next();

  /**
   * What is sent of a transaction.
   *
   * @param previous the commit time of the one before it in the stream
   */
  abstract byte[] record(StoredRecord stored, long previous);

  /** The next transaction was read. */
  abstract void taken();

  /** The stream has no transaction up to this time beyond those that were read. */
  abstract long complete();

  /**
   * Begins again.
   *
   * @param after a time up to which everything was read
   */
  abstract void restart(long after);
}
