package io.github.stablecut.internal.stream;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.Position;
import io.github.stablecut.journal.StoredRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The transactions that have come from another data centre. They are in the journal in the order of
 * the stream. Confined to one thread.
 */
public final class ReceivedStream extends StreamReader {
  private static final int MOST_PLACES = 4_096;

  private final Parts parts;
  private final Start begin;
  private final Deque<Place> places = new ArrayDeque<>();

  /** The commit time of the last transaction that was found. */
  private long found;

  private long position;

  /** The reader has everything up to this time. */
  private long startedAt;

  /** Up to what time everything was here when the journal was read to its end. */
  private long complete;

  /** The last transaction that was here when it was compared with what the reader has. */
  private long compared;

  /** {@link Journal#durable} when the journal was read to its end; -1 if it was not. */
  private long readDurable;

  /**
   * What is read.
   *
   * @param source the data centre that has committed the transactions
   * @param reached up to what time everything of the data centre is here
   * @param newest the commit time of the last transaction of the data centre that is here, or a
   *     later time of a checkpoint
   * @param firstPosition for a commit time, a position in the journal at or before the records of
   *     all later transactions of the data centre
   * @param checkKept throws if what came after a commit time is not kept any more
   */
  public record Parts(
      Journal journal,
      int source,
      LongSupplier reached,
      LongSupplier newest,
      LongUnaryOperator firstPosition,
      LongConsumer checkKept) {}

  /** Reads what has come after a start. */
  public ReceivedStream(Parts parts, Start start) {
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
    // First the place, then what is kept.
    position = parts.firstPosition.applyAsLong(after);
    parts.checkKept.accept(after);
  }

  @Override
  @Nullable Place next() {
    compare();
    if (places.isEmpty()) {
      // First the time: what is at or before it is in the journal by now.
      long reached = parts.reached.getAsLong();
      if (reached <= complete) {
        // Nothing has come since: the last record need not be read again.
        return null;
      }
      long durable = parts.journal.durable();
      boolean[] isFull = {false};
      try {
        // While time passes and nothing is written, the last record need not be read again.
        if (durable != readDurable) {
          parts.journal.scanWhile(
              position,
              stored -> {
                add(stored);
                isFull[0] = places.size() >= MOST_PLACES;
                return !isFull[0];
              });
          readDurable = isFull[0] ? -1 : durable;
        }
      } catch (IllegalArgumentException e) {
        // A segment was dropped while it was looked for.
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
   * Looks for a transaction that the reader has and this data centre would have if it existed, and
   * for those that the reader says do not exist. No later transaction leads to them where one of
   * both has heard of a later time only.
   */
  private void compare() {
    // First the time: what is at or before it is among those that are here.
    long reached = parts.reached.getAsLong();
    long newest = parts.newest.getAsLong();
    if (begin.received() > newest && begin.received() <= reached) {
      throw new ForkedStreamException(parts.source, newest);
    }
    if (newest != compared && isDenied(newest) && areDeniedLookedFor()) {
      compared = newest;
    }
  }

  /**
   * Looks through the journal for transactions that the reader says do not exist.
   *
   * @return false if a segment was dropped meanwhile
   */
  private boolean areDeniedLookedFor() {
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

  /** Whether the reader says that there is none at a time: it is after its last one. */
  private boolean isDenied(long time) {
    return time > begin.last() && time <= begin.reached();
  }

  /** When the data centre has committed it; 0 if it is none of its transactions. */
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
      places.add(new Place(time, stored.position()));
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
      // None was committed between the two, and the reader has one from there.
      throw new ForkedStreamException(parts.source, link.getAsLong());
    }
    if (isDenied(link.getAsLong())) {
      // A transaction, or only a time up to which this data centre had everything when it came.
      boolean unused = areDeniedLookedFor();
    }
    // Who asks may have begun elsewhere than this data centre: its link is what it has.
    return TransactionRecord.linked(stored.body(), stored.position(), previous);
  }

  @Override
  void taken() {
    var unused = places.removeFirst();
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
