package io.github.stablecut.internal.stream;

import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.segment.StoredRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream from a partition's journal, starting after some transaction. Confined to one
 * thread.
 */
public abstract sealed class StreamReader permits OwnStream, ReceivedStream {
  private final Journal journal;

  /** The commit time of the last transaction that was read, or after which reading begins. */
  private long last;

  StreamReader(Journal journal, Start start) {
    this.journal = journal;
    this.last = start.last;
  }

  /**
   * The starting point of a reader: what it already has.
   *
   * @param last the commit time of the last transaction, or a later time of a checkpoint; 0 if
   *     there is none
   * @param reached a time up to which there is no other, at or after {@code last}
   * @param received the commit time of the last transaction that the reader's journal has, at or
   *     before {@code last}; 0 if it has none left
   */
  public record Start(long last, long reached, long received) {
    /** The beginning of the stream. */
    public static final Start BEGINNING = new Start(0, 0, 0);

    /** Checks the order of the times. */
    public Start {
      if (received < 0 || last < received || reached < last) {
        throw new IllegalArgumentException(
            "invalid start of a stream: last %d, reached %d, received %d"
                .formatted(last, reached, received));
      }
    }
  }

  /**
   * The part of the stream after what was read before.
   *
   * @param after the commit time of the transaction before it
   * @param through the stream has no other transaction up to this time
   */
  public record Chunk(long after, long through, List<byte[]> records) {}

  /** A transaction's commit time and the position of its record. */
  record TransactionPosition(long time, long position) {}

  /** The commit time of the last transaction that was read, or after which reading begins. */
  public long last() {
    return last;
  }

  /**
   * Reads the next durable transactions.
   *
   * @param maxBytes approximate maximum size; a single transaction may be larger
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the next transactions are
   *     truncated
   * @throws ForkedStreamException if the reader has different transactions of the stream
   */
  public Chunk read(long maxBytes) {
    long after = last;
    List<byte[]> records = new ArrayList<>();
    long bytes = 0;
    TransactionPosition next = next();
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
    return new Chunk(after, Math.max(last, next == null ? complete() : last), records);
  }

  /** Peeks at the next transaction of the stream; null if there is none yet. */
  abstract @Nullable TransactionPosition next();

  /**
   * The bytes of a transaction that are sent.
   *
   * @param previous the commit time of the one before it in the stream
   */
  abstract byte[] record(StoredRecord stored, long previous);

  /** Advances past the transaction that {@link #next} returned. */
  abstract void taken();

  /** The time up to which the stream has no transaction beyond those read. */
  abstract long complete();

  /**
   * Restarts reading.
   *
   * @param after a time up to which everything was read
   */
  abstract void restart(long after);
}
