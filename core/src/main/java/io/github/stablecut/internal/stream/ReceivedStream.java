package io.github.stablecut.internal.stream;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.StoredRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the transactions received from another data centre. The journal has them in the order of
 * the stream. Confined to one thread.
 */
public final class ReceivedStream extends StreamReader {
  private static final int MAX_PLACES = 4_096;

  private final Components parts;
  private final Start begin;
  private final Deque<TransactionPosition> places = new ArrayDeque<>();

  /** The commit time of the last transaction found. */
  private long found;

  private long position;

  /** The reader has everything up to this time. */
  private long startedAt;

  /** The time up to which everything was here when the journal was last read to its end. */
  private long complete;

  /** The newest transaction here at the last comparison with the reader's start. */
  private long compared;

  /** {@link Journal#durable} when the journal was read to its end; -1 if it was not. */
  private long readDurable;

  /**
   * The parts that are read.
   *
   * @param source the data centre that committed the transactions
   * @param reached the time up to which everything of the data centre is here
   * @param newest the commit time of the data centre's last transaction here, or a later time of a
   *     checkpoint
   * @param firstPosition for a commit time, a position in the journal at or before the records of
   *     all later transactions of the data centre
   * @param checkKept throws if the transactions after a commit time are truncated
   */
  public record Components(
      Journal journal,
      int source,
      LongSupplier reached,
      LongSupplier newest,
      LongUnaryOperator firstPosition,
      LongConsumer checkKept) {}

  /** Reads the transactions after a start. */
  public ReceivedStream(Components parts, Start start) {
    super(parts.journal, start);
    this.parts = parts;
    this.begin = start;
    start(start.reached());
  }

  private void start(long after) {
    startedAt = after;
    readDurable = -1;
    places.clear();
    found = after;
    complete = after;
    // The position first, then the check of what is retained.
    position = parts.firstPosition.applyAsLong(after);
    parts.checkKept.accept(after);
  }

  @Override
  @Nullable TransactionPosition next() {
    compare();
    if (places.isEmpty()) {
      // The time comes first: everything up to it is in the journal by now.
      long reached = parts.reached.getAsLong();
      if (reached <= complete) {
        // Nothing was received since, so the last record need not be read again.
        return null;
      }
      long durable = parts.journal.durable();
      boolean[] isFull = {false};
      try {
        // While nothing is written, the last record need not be read again.
        if (durable != readDurable) {
          parts.journal.scanWhile(
              position,
              stored -> {
                add(stored);
                isFull[0] = places.size() >= MAX_PLACES;
                return !isFull[0];
              });
          readDurable = isFull[0] ? -1 : durable;
        }
      } catch (IllegalArgumentException e) {
        // A segment was dropped during the search.
        start(Math.max(complete, last()));
        return null;
      }
      parts.checkKept.accept(Math.max(complete, last()));
      if (!isFull[0]) {
        complete = Math.max(complete, reached);
      }
    }
    return places.peekFirst();
  }

  /**
   * Detects forks that no later transaction's link reveals, where one side knows only a later time.
   * These are a transaction that the reader has and this data centre lacks although it would have
   * it, and transactions here that the reader says do not exist.
   */
  private void compare() {
    // The time comes first: all transactions up to it are here.
    long reached = parts.reached.getAsLong();
    long newest = parts.newest.getAsLong();
    if (begin.received() > newest && begin.received() <= reached) {
      throw new ForkedStreamException(parts.source, newest);
    }
    if (newest != compared && isDenied(newest) && searchDenied()) {
      compared = newest;
    }
  }

  /**
   * Searches the journal for transactions that the reader says do not exist.
   *
   * @return false if a segment was dropped meanwhile
   */
  @CanIgnoreReturnValue
  private boolean searchDenied() {
    try {
      parts.journal.scan(
          parts.firstPosition.applyAsLong(begin.last()),
          stored -> {
            if (isDenied(timeOf(stored))) {
              throw new ForkedStreamException(parts.source, begin.last());
            }
          });
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Whether the reader says that no transaction has this time: it is after the reader's last one,
   * and at or before the time that it has reached.
   */
  private boolean isDenied(long time) {
    return time > begin.last() && time <= begin.reached();
  }

  /** The commit time of a transaction of the data centre; 0 for any other record. */
  private long timeOf(StoredRecord stored) {
    if (stored.kind() != RecordKind.TRANSACTION) {
      return 0;
    }
    Commit commit = TransactionRecord.commit(stored.body(), stored.position());
    return commit.origin().dataCentre() == parts.source ? commit.time() : 0;
  }

  private void add(StoredRecord stored) {
    position = stored.position();
    long time = timeOf(stored);
    if (time > found) {
      places.add(new TransactionPosition(time, stored.position()));
      found = time;
    } else if (isDenied(time)) {
      throw new ForkedStreamException(parts.source, begin.last());
    }
  }

  @Override
  byte[] record(StoredRecord stored, long previous) {
    OptionalLong link = TransactionRecord.facts(stored.body(), stored.position()).previous();
    if (link.isEmpty() || link.getAsLong() > Math.max(previous, startedAt)) {
      throw new CorruptStoreException(
          "the journal lacks transactions of data centre %d before the one at %s, which follows one of %d: the one before it is of %d"
              .formatted(
                  parts.source, Position.format(stored.position()), link.orElse(-1), previous));
    }
    if (link.getAsLong() < begin.received()) {
      // No transaction was committed between the two, but the reader has one from that interval.
      throw new ForkedStreamException(parts.source, link.getAsLong());
    }
    if (isDenied(link.getAsLong())) {
      // The link is a transaction, or only a time up to which this data centre was complete when
      // the transaction came.
      searchDenied();
    }
    // The reader may have started elsewhere than this data centre, so the link sent is the reader's
    // last transaction.
    return TransactionRecord.linked(stored.body(), stored.position(), previous);
  }

  @Override
  void taken() {
    places.removeFirst();
  }

  @Override
  long complete() {
    return complete;
  }

  @Override
  void restart(long after) {
    start(after);
  }
}
